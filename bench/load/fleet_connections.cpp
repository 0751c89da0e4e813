// SPDX-License-Identifier: MIT
// fleet_connections: the memory that a channel takes for each server to which it is connected.
// Usage: fleet_connections [SERVERS]    (default 1000)
#include <trunkline/channel.h>
#include <trunkline/server.h>
#include <trunkline/slice.h>

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>

namespace trunkline::bench {
namespace {

constexpr const char* method = "trunkline.bench.Fleet/Echo";

/// Private memory of this process. The kernel's socket buffers are not part of it.
std::size_t private_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::string word;
  while (file >> word) {
    if (word != "Private_Dirty:") continue;
    std::size_t kib = 0;
    file >> kib;
    return kib * 1024;
  }
  return 0;
}

/// What was allocated and not freed, in all arenas, without what the allocator keeps for later.
std::size_t allocated_bytes() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// The process of the servers: one with as many ports. Writes the URI of all of them, and serves until it is killed.
[[noreturn]] void serve(int pipe, std::size_t count) {
  try {
    Server server;
    server.handle<Slice, Slice>(method, [](const Slice& request, ServerContext&) { return request; });
    std::string uri = "tcp://";
    for (std::size_t i = 0; i < count; ++i) {
      const std::string endpoint = server.listen("tcp://127.0.0.1:0").to_string();
      uri.append(i == 0 ? "" : ",").append(endpoint.substr(endpoint.find("://") + 3));
    }
    uri += "\n";
    std::size_t written = 0;
    while (written < uri.size()) {
      const ssize_t part = ::write(pipe, uri.data() + written, uri.size() - written);
      if (part <= 0) std::_Exit(1);
      written += static_cast<std::size_t>(part);
    }
    static_cast<void>(server.run());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fleet_connections: servers: %s\n", error.what());
  }
  std::_Exit(1);
}

std::string read_line(int pipe) {
  std::string line;
  char letter = 0;
  while (::read(pipe, &letter, 1) == 1 && letter != '\n') line += letter;
  return line;
}

std::size_t connected(const Channel& channel) {
  const auto servers = channel.servers();
  return static_cast<std::size_t>(
      std::count_if(servers.begin(), servers.end(), [](const ServerState& server) { return server.is_ready; }));
}

/// Connects to all servers: with the first call.
Status use_all(EventLoop& loop, Channel& channel, std::size_t count) {
  Status status;
  std::size_t ready = 0;
  for (int rounds = 0; rounds < 600 && ready < count; ++rounds) {
    // On the loop's thread: from another one, Channel::servers() waits until something runs the loop.
    loop.post([&] {
      std::string response;
      status = channel.call(method, std::string("hello"), response, {.timeout = std::chrono::seconds(30)});
      if (status && response != "hello") status = Status(StatusCode::data_loss, "a wrong response");
      ready = connected(channel);
      loop.stop();
    });
    loop.run();
    if (!status) return status;
    loop.run_for(std::chrono::milliseconds(100));
  }
  if (ready < count) return {StatusCode::unavailable, "not all servers are connected after a minute"};
  return {};
}

/// In rounds of as many calls as there are servers, so that nearly each of them has had one.
Status call_all(EventLoop& loop, Channel& channel, std::size_t count) {
  Status status;
  loop.post([&] {
    for (std::size_t call = 0; call < 4 * count && status; ++call) {
      std::string response;
      status = channel.call(method, std::string("hello"), response, {.timeout = std::chrono::seconds(30)});
      if (status && response != "hello") status = Status(StatusCode::data_loss, "a wrong response");
    }
    loop.stop();
  });
  loop.run();
  return status;
}

int measure(const std::string& uri, std::size_t count) {
  EventLoop loop;
  // What a first channel allocates once is not counted.
  Channel first(loop, uri.substr(0, uri.find(',')));
  Status status = use_all(loop, first, 1);
  const std::size_t private_before = private_bytes();
  const std::size_t allocated_before = allocated_bytes();
  ChannelOptions options;
  options.balancing.policy = BalancingPolicy::round_robin;
  Channel channel(loop, uri, options);
  if (status) status = use_all(loop, channel, count);
  if (status) status = call_all(loop, channel, count);
  if (!status) {
    std::fprintf(stderr, "fleet_connections: %s\n", status.to_string().c_str());
    return 1;
  }
  loop.run_for(std::chrono::seconds(1));
  const double servers = static_cast<double>(count);
  std::printf("{\"servers\": %zu, \"allocated_bytes_per_server\": %.0f, \"private_bytes_per_server\": %.0f}\n", count,
              static_cast<double>(allocated_bytes() - allocated_before) / servers,
              static_cast<double>(private_bytes() - private_before) / servers);
  return 0;
}

int run(std::size_t count) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  if (2 * count + 64 > files.rlim_max) {
    std::fprintf(stderr, "fleet_connections: %zu servers need %zu descriptors, the limit is %zu\n", count, 2 * count,
                 static_cast<std::size_t>(files.rlim_max));
    return 1;
  }
  int pipe[2];
  if (::pipe(pipe) != 0) return 1;
  const pid_t servers = ::fork();
  if (servers < 0) return 1;
  if (servers == 0) serve(pipe[1], count);
  ::close(pipe[1]);
  const std::string uri = read_line(pipe[0]);
  const int result = uri.empty() ? 1 : measure(uri, count);
  ::kill(servers, SIGKILL);
  ::waitpid(servers, nullptr, 0);
  return result;
}

}  // namespace
}  // namespace trunkline::bench

int main(int count, char** arguments) {
  const long wanted = count > 1 ? std::strtol(arguments[1], nullptr, 10) : 1000;
  if (count > 2 || wanted < 2 || wanted > 100'000) {
    std::fprintf(stderr, "usage: %s [SERVERS]    2 to 100000, default 1000\n", arguments[0]);
    return 2;
  }
  return trunkline::bench::run(static_cast<std::size_t>(wanted));
}
