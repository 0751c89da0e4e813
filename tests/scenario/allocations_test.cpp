// SPDX-License-Identifier: MIT
// In the steady state a unary call allocates nothing on the heap, on either side.
#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <vector>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

std::atomic<long> allocations{0};

}  // namespace

// Replaces operator new for the whole test program, so that the allocations of Asio count as well.
void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace trunkline {
namespace {

/// The allocations of a series of batches of calls, made inside the loop. If the system interrupts a turn for long, the
/// turn is divided, and may once need memory that none has needed before. So this is the least of several series: an
/// allocation that belongs to the calls is in all of them.
long count_allocations(const std::string& endpoint, std::size_t batch, std::size_t bytes) {
  constexpr int warm_up = 200;
  constexpr int rounds = 100;
  constexpr int most_series = 10;
  EventLoop loop;
  Server server(loop);
  server.handle<std::string, std::string>("Echo/Say", [](const std::string& request, std::string& response, auto&) {
    response = request;
    return Status();
  });
  Channel channel(loop, server.listen(endpoint).to_string());
  const Method method = channel.method("Echo/Say");
  const std::string request(bytes, 'x');
  std::vector<std::string> responses(batch);
  const CallOptions options;
  const auto call_all = [&] {
    std::size_t left = batch;
    for (std::string& response : responses) {
      channel.async_call(method, request, response, options, [&](const Status& status) {
        EXPECT_TRUE(status.is_ok()) << status.to_string();
        EXPECT_EQ(response.size(), bytes);
        --left;
      });
    }
    while (left > 0) loop.poll();
  };
  long least = std::numeric_limits<long>::max();
  loop.post([&] {
    for (int round = 0; round < warm_up; ++round) call_all();
    for (int series = 0; series < most_series && least > 0; ++series) {
      const long before = allocations.load();
      for (int round = 0; round < rounds; ++round) call_all();
      least = std::min(least, allocations.load() - before);
    }
    loop.stop();
  });
  loop.run();
  return least;
}

TEST(AllocationsTest, ASmallCallAllocatesNothing) {
  for (const std::size_t batch : {1U, 50U, 500U}) {
    EXPECT_EQ(count_allocations("inproc://allocations", batch, 8), 0) << batch << " calls in progress";
    EXPECT_EQ(count_allocations("tcp://127.0.0.1:0", batch, 8), 0) << batch << " calls in progress";
  }
}

TEST(AllocationsTest, ACallOfOneKibibyteAllocatesNothing) {
  EXPECT_EQ(count_allocations("tcp://127.0.0.1:0", 1, 1024), 0);
  EXPECT_EQ(count_allocations("tcp://127.0.0.1:0", 50, 1024), 0);
}

}  // namespace
}  // namespace trunkline

#endif
