// SPDX-License-Identifier: MIT
// idle_connections: the memory of an idle connection, after one call, in the processes of server and client.
// Usage: idle_connections [COUNT]    (default 10000; twice as many descriptors are not needed: two processes)
#include <trunkline/channel.h>
#include <trunkline/server.h>
#include <trunkline/slice.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace trunkline::bench {
namespace {

constexpr const char* method = "trunkline.bench.Idle/Echo";

/// Private memory of the process. The kernel's socket buffers are not part of it, and are empty on idle connections.
std::size_t private_bytes(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/smaps_rollup");
  std::string word;
  while (file >> word) {
    if (word != "Private_Dirty:") continue;
    std::size_t kib = 0;
    file >> kib;
    return kib * 1024;
  }
  return 0;
}

/// The process of the server: writes its endpoint to the pipe and serves until it is killed.
[[noreturn]] void serve(int pipe) {
  try {
    Server server;
    server.handle<Slice, Slice>(method, [](const Slice& request, ServerContext&) { return request; });
    const std::string endpoint = server.listen("tcp://127.0.0.1:0").to_string() + "\n";
    if (::write(pipe, endpoint.data(), endpoint.size()) == static_cast<ssize_t>(endpoint.size())) {
      static_cast<void>(server.run());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "idle_connections: server: %s\n", error.what());
  }
  std::_Exit(1);
}

std::string read_line(int pipe) {
  std::string line;
  char letter = 0;
  while (::read(pipe, &letter, 1) == 1 && letter != '\n') line += letter;
  return line;
}

/// Every channel connects and makes a call, on a loop shared by all of them.
Status connect_all(EventLoop& loop, std::vector<std::unique_ptr<Channel>>& channels, const std::string& endpoint) {
  Status status;
  loop.post([&] {
    for (auto& channel : channels) {
      channel = std::make_unique<Channel>(loop, endpoint);
      std::string response;
      status = channel->call(method, std::string("hello"), response, {.timeout = std::chrono::seconds(10)});
      if (status && response != "hello") status = Status(StatusCode::data_loss, "a wrong response");
      if (!status) break;
    }
    loop.stop();
  });
  loop.run();
  return status;
}

int measure(pid_t server, const std::string& endpoint, std::size_t count) {
  EventLoop loop;
  std::vector<std::unique_ptr<Channel>> channels(1);
  // What the first connection allocates once is not counted for connections.
  Status status = connect_all(loop, channels, endpoint);
  const std::unique_ptr<Channel> first = std::move(channels[0]);
  channels.resize(count);
  const std::size_t server_before = private_bytes(server);
  const std::size_t client_before = private_bytes(::getpid());
  if (status) status = connect_all(loop, channels, endpoint);
  if (!status) {
    std::fprintf(stderr, "idle_connections: %s\n", status.to_string().c_str());
    return 1;
  }
  loop.run_for(std::chrono::seconds(1));
  const double connections = static_cast<double>(count);
  std::printf("{\"connections\": %zu, \"server_bytes_per_connection\": %.0f, \"client_bytes_per_channel\": %.0f}\n",
              count, static_cast<double>(private_bytes(server) - server_before) / connections,
              static_cast<double>(private_bytes(::getpid()) - client_before) / connections);
  return 0;
}

int run(std::size_t count) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  if (count + 64 > files.rlim_max) {
    std::fprintf(stderr, "idle_connections: %zu connections need as many descriptors, the limit is %zu\n", count,
                 static_cast<std::size_t>(files.rlim_max));
    return 1;
  }
  int pipe[2];
  if (::pipe(pipe) != 0) return 1;
  const pid_t server = ::fork();
  if (server < 0) return 1;
  if (server == 0) serve(pipe[1]);
  ::close(pipe[1]);
  const std::string endpoint = read_line(pipe[0]);
  const int result = endpoint.empty() ? 1 : measure(server, endpoint, count);
  ::kill(server, SIGKILL);
  ::waitpid(server, nullptr, 0);
  return result;
}

}  // namespace
}  // namespace trunkline::bench

int main(int count, char** arguments) {
  const long wanted = count > 1 ? std::strtol(arguments[1], nullptr, 10) : 10'000;
  if (count > 2 || wanted < 1 || wanted > 1'000'000) {
    std::fprintf(stderr, "usage: %s [COUNT]    1 to 1000000 connections, default 10000\n", arguments[0]);
    return 2;
  }
  return trunkline::bench::run(static_cast<std::size_t>(wanted));
}
