// SPDX-License-Identifier: MIT
// long_messages: calls with long messages, all under way at once: how many fail, and the peak memory of both processes
// beside their budgets. Usage: long_messages
#include <trunkline/channel.h>
#include <trunkline/server.h>
#include <trunkline/slice.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

namespace trunkline::bench {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

struct Cell {
  const char* name;
  const char* method;
  int calls;
  std::size_t request_bytes;
  std::size_t response_bytes;
};

constexpr Cell cells[] = {
    {"200 responses of 1 MiB", "Download", 200, 1, mib},
    {"400 responses of 1 MiB", "Download", 400, 1, mib},
    {"2000 responses of 1 MiB", "Download", 2000, 1, mib},
    {"300 uploads of 3 MiB, slow handler", "Upload", 300, 3 * mib, 7},
};

/// What the client's process tells: the outcome of its calls, and its peak memory.
struct Outcome {
  int ok = 0;
  int failed = 0;
  long peak_bytes = 0;
  double seconds = 0;
  char first_error[200] = {};
};

/// Peak resident memory of a process that has ended, from its rusage.
long peak_bytes(const rusage& usage) { return usage.ru_maxrss * 1024; }

/// Writes its endpoint to the pipe and serves until SIGKILL.
[[noreturn]] void serve(int pipe) {
  try {
    Server server;
    server.handle<Slice, std::string>("Download", [](const Slice&, ServerContext&) -> asio::awaitable<std::string> {
      co_return std::string(mib, 'r');
    });
    server.handle<Slice, std::string>("Upload",
                                      [](const Slice& request, ServerContext&) -> asio::awaitable<std::string> {
                                        const std::size_t size = request.size();
                                        asio::steady_timer timer(co_await asio::this_coro::executor);
                                        timer.expires_after(std::chrono::milliseconds(20));
                                        co_await timer.async_wait(asio::use_awaitable);
                                        co_return std::to_string(size);
                                      });
    const std::string endpoint = server.listen("tcp://127.0.0.1:0").to_string() + "\n";
    if (::write(pipe, endpoint.data(), endpoint.size()) == static_cast<ssize_t>(endpoint.size())) {
      static_cast<void>(server.run());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "long_messages: server: %s\n", error.what());
  }
  std::_Exit(1);
}

void make_calls(const Cell& cell, const std::string& endpoint, Outcome& outcome) {
  EventLoop loop;
  Channel channel(loop, endpoint);
  const Slice request = Slice::copy_of(std::string(cell.request_bytes, 'q'));
  const auto began = std::chrono::steady_clock::now();
  loop.post([&] {
    for (int i = 0; i < cell.calls; ++i) {
      channel.async_call<Slice>(cell.method, request, {}, [&](const Result<Slice>& response) {
        const bool is_right = response.is_ok() && response->size() == cell.response_bytes;
        ++(is_right ? outcome.ok : outcome.failed);
        if (!is_right && outcome.failed == 1) {
          std::snprintf(outcome.first_error, sizeof outcome.first_error, "%s", response.status().to_string().c_str());
        }
        if (outcome.ok + outcome.failed == cell.calls) loop.stop();
      });
    }
  });
  loop.run_for(std::chrono::seconds(120));
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

/// A process of its own, so that each cell begins with fresh memory.
[[noreturn]] void call(const Cell& cell, const std::string& endpoint, int pipe) {
  Outcome outcome;
  try {
    make_calls(cell, endpoint, outcome);
  } catch (const std::exception& error) {
    std::snprintf(outcome.first_error, sizeof outcome.first_error, "%s", error.what());
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  outcome.peak_bytes = peak_bytes(usage);
  const bool is_written = ::write(pipe, &outcome, sizeof outcome) == static_cast<ssize_t>(sizeof outcome);
  std::_Exit(is_written ? 0 : 1);
}

std::string read_line(int pipe) {
  std::string line;
  char letter = 0;
  while (::read(pipe, &letter, 1) == 1 && letter != '\n') line += letter;
  return line;
}

template <class Function>
pid_t fork_with_pipe(int& reading_end, Function function) {
  int pipe[2];
  if (::pipe(pipe) != 0) return -1;
  const pid_t process = ::fork();
  if (process == 0) {
    ::close(pipe[0]);
    function(pipe[1]);
  }
  ::close(pipe[1]);
  reading_end = pipe[0];
  return process;
}

/// False if a call failed.
bool measure(const Cell& cell) {
  int from_server = -1;
  int from_client = -1;
  const pid_t server = fork_with_pipe(from_server, [](int pipe) { serve(pipe); });
  if (server < 0) return false;
  const std::string endpoint = read_line(from_server);
  const pid_t client = fork_with_pipe(from_client, [&](int pipe) { call(cell, endpoint, pipe); });
  Outcome outcome;
  const bool is_read =
      client > 0 && ::read(from_client, &outcome, sizeof outcome) == static_cast<ssize_t>(sizeof outcome);
  if (client > 0) ::waitpid(client, nullptr, 0);
  rusage usage{};
  ::kill(server, SIGKILL);
  ::wait4(server, nullptr, 0, &usage);
  ::close(from_server);
  ::close(from_client);
  std::printf("%-36s %5d %7d %8.2f %12ld %12ld  %s\n", cell.name, outcome.ok, cell.calls - outcome.ok, outcome.seconds,
              peak_bytes(usage) / static_cast<long>(mib), outcome.peak_bytes / static_cast<long>(mib),
              outcome.first_error);
  std::fflush(stdout);
  return is_read && outcome.ok == cell.calls;
}

int run() {
  std::printf("peak memory of the processes in MiB; budgets: server %zu, channel %zu\n",
              ServerOptions().max_memory_bytes / mib, ChannelOptions().max_memory_bytes / mib);
  std::printf("%-36s %5s %7s %8s %12s %12s\n", "calls at once", "ok", "failed", "seconds", "server peak",
              "client peak");
  bool all_ok = true;
  for (const Cell& cell : cells) all_ok = measure(cell) && all_ok;
  return all_ok ? 0 : 1;
}

}  // namespace
}  // namespace trunkline::bench

int main() { return trunkline::bench::run(); }
