// SPDX-License-Identifier: MIT
// What a channel takes for each server of a large fleet to which it is connected.
#include <trunkline/channel.h>
#include <trunkline/server.h>
#include <trunkline/slice.h>

#include <gtest/gtest.h>

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <string>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace trunkline {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t server_count = 1000;

/// What was allocated and not freed, in all arenas, without what the allocator keeps for later.
std::size_t allocated_bytes() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// One process with a port for each server, so that its memory does not count.
class ManyServers {
 public:
  ManyServers() {
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0) return;
    process_ = ::fork();
    if (process_ == 0) serve(ends[1]);
    ::close(ends[1]);
    char letter = 0;
    while (::read(ends[0], &letter, 1) == 1 && letter != '\n') uri_ += letter;
    ::close(ends[0]);
  }
  ~ManyServers() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  ManyServers(const ManyServers&) = delete;
  ManyServers& operator=(const ManyServers&) = delete;

  const std::string& uri() const noexcept { return uri_; }

 private:
  [[noreturn]] static void serve(int pipe) {
    try {
      Server server;
      server.handle<Slice, Slice>("Echo", [](const Slice& request, ServerContext&) { return request; });
      std::string uri = "tcp://";
      for (std::size_t i = 0; i < server_count; ++i) {
        const std::string endpoint = server.listen("tcp://127.0.0.1:0").to_string();
        uri.append(i == 0 ? "" : ",").append(endpoint.substr(endpoint.find("://") + 3));
      }
      uri += '\n';
      for (std::size_t written = 0; written < uri.size();) {
        const ssize_t part = ::write(pipe, uri.data() + written, uri.size() - written);
        if (part <= 0) std::_Exit(1);
        written += static_cast<std::size_t>(part);
      }
      static_cast<void>(server.run());
    } catch (const std::exception&) {
      std::_Exit(1);
    }
    std::_Exit(1);
  }

  pid_t process_ = -1;
  std::string uri_;
};

std::size_t connected(const Channel& channel) {
  const auto states = channel.servers();
  return static_cast<std::size_t>(std::ranges::count_if(states, &ServerState::is_ready));
}

/// Connects to all servers, and calls each of them about four times.
void use(EventLoop& loop, Channel& channel, std::size_t count) {
  std::size_t ready = 0;
  for (int round = 0; round < 600 && ready < count; ++round) {
    loop.post([&] {
      std::string response;
      EXPECT_TRUE(channel.call("Echo", std::string("hello"), response, {.timeout = 30s}).is_ok());
      ready = connected(channel);
      loop.stop();
    });
    loop.run();
    loop.run_for(50ms);
  }
  ASSERT_EQ(ready, count);
  loop.post([&] {
    for (std::size_t call = 0; call < 4 * count; ++call) {
      std::string response;
      ASSERT_TRUE(channel.call("Echo", std::string("hello"), response, {.timeout = 30s}).is_ok());
    }
    loop.stop();
  });
  loop.run();
}

TEST(FleetMemory, TakesLessThan20KBForEachConnectedServer) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur < 2 * server_count + 64) GTEST_SKIP() << "needs " << 2 * server_count + 64 << " descriptors";
  const ManyServers servers;
  ASSERT_FALSE(servers.uri().empty());
  EventLoop loop;
  // What a first channel allocates once is not counted.
  Channel first(loop, servers.uri().substr(0, servers.uri().find(',')));
  use(loop, first, 1);
  const std::size_t before = allocated_bytes();

  ChannelOptions options;
  options.balancing.policy = BalancingPolicy::round_robin;
  Channel channel(loop, servers.uri(), options);
  use(loop, channel, server_count);

  EXPECT_LT((allocated_bytes() - before) / server_count, 20000u);
}

}  // namespace
}  // namespace trunkline

#endif
