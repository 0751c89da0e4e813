// SPDX-License-Identifier: MIT
// In the steady state a connection takes no memory from the heap.
#include "connected_pair.h"
#include "fake_session.h"
#include "kit/own_uri.h"
#include "net/connection.h"

#include <atomic>
#include <cstdlib>
#include <new>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

std::atomic<long> allocations{0};

void* counted(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Of the whole test binary: what Asio takes counts as well.
void* operator new(std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace trunkline::net {
namespace {

/// Sends back what it receives, from one fixed buffer into another.
class EchoSession final : public FakeSession {
 public:
  using FakeSession::FakeSession;

  std::size_t prepare_receive(std::array<MutableByteSpan, 2>& out) override {
    out[0] = incoming_;
    return 1;
  }
  void received(std::size_t size, base::TimePoint) override {
    std::copy_n(incoming_.begin(), size, outgoing_.begin());
    unsent_ = size;
  }
  bool next(session::Event&) override { return false; }
  std::size_t gather(std::span<ByteSpan> out) override {
    out[0] = ByteSpan(outgoing_).first(unsent_);
    return 1;
  }
  void wrote(std::size_t size) override { unsent_ -= size; }
  bool has_output() const noexcept override { return unsent_ > 0; }

 private:
  std::array<std::byte, 256> incoming_{};
  std::array<std::byte, 256> outgoing_{};
  std::size_t unsent_ = 0;
};

/// Counts its turns, and flushes from outside as a client does.
struct RoundCounter final : ConnectionHandler {
  void on_events(Connection&) override { ++rounds; }
  void on_closed(Connection&) override {}
  int rounds = 0;
};

class SteadyStateTest : public testing::TestWithParam<const char*> {};

TEST_P(SteadyStateTest, AllocatesNothing) {
  Loop loop;
  ConnectedPair pair;
  pair.connect(loop, endpoint_of(kit::own_uri(GetParam())));
  RoundCounter handler;
  const auto make_session = [](session::SessionOwner& owner) { return std::make_unique<EchoSession>(owner); };
  const auto server = std::make_shared<Connection>(std::move(pair.server), handler, ConnectionOptions{});
  const auto client = std::make_shared<Connection>(std::move(pair.client), handler, ConnectionOptions{});
  server->start(make_session);
  client->start(make_session, as_bytes("ball"));
  const auto play = [&](int rounds) {
    return run_until(loop, [&, end = handler.rounds + rounds] {
      server->flush_soon();
      return handler.rounds >= end;
    });
  };
  ASSERT_TRUE(play(100));

  const long before = allocations.load();
  ASSERT_TRUE(play(1000));

  EXPECT_EQ(allocations.load() - before, 0);
}

std::string scheme_of(const testing::TestParamInfo<const char*>& tested) {
  const std::string uri = tested.param;
  return uri.substr(0, uri.find(':'));
}

INSTANTIATE_TEST_SUITE_P(Each, SteadyStateTest,
                         testing::Values("tcp://127.0.0.1:0", "unix:@trunkline-steady-state", "inproc://steady-state"),
                         scheme_of);

}  // namespace
}  // namespace trunkline::net

#endif
