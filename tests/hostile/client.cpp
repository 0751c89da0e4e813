// SPDX-License-Identifier: MIT
// The client under attack: it calls a hostile server, and beside it, on the same loop, a healthy one all the time.
//
// Usage: hostile_client HOSTILE_URI HEALTHY_URI [OPTION=NUMBER...]    (set_option() and named_options.h name them)
//
// It prints "ready". Then it reads commands from standard input, and responds to each with one line:
//   call COUNT SIZE MILLISECONDS      begins calls of "echo" with requests of SIZE bytes and that timeout (0: none)
//   stream COUNT MILLISECONDS         begins server streams of "source", which read nothing until `release`
//   release                           they read to their end
//   report                            the counts, as JSON
//   trim                              returns free memory to the system
//   stop                              closes the channel, reports, and exits; so does the end of the input
#include "gate.h"
#include "named_options.h"

#include <trunkline/channel.h>
#include <trunkline/event_loop.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

namespace trunkline::hostile {

namespace {

bool set_option(ChannelOptions& options, std::string_view name, std::uint64_t number) {
  if (name == "max_pending_calls") return options.max_pending_calls = number, true;
  return set_common_option(options, name, number);
}

ChannelOptions options_from(std::span<char*> arguments) {
  ChannelOptions options;
  options.backoff.maximum = std::chrono::milliseconds(200);
  read_options(arguments,
               [&](std::string_view name, std::uint64_t number) { return set_option(options, name, number); });
  return options;
}

/// The calls of the hostile server, and how they ended.
class Attacked {
 public:
  Attacked(EventLoop& loop, std::string_view uri, const ChannelOptions& options)
      : channel_(loop, uri, options), loop_(loop) {}

  void call(std::uint64_t count, std::size_t size, std::uint64_t timeout) {
    begun_ += count;
    const Slice request = Slice::from_string(std::string(size, 'x'));
    for (std::uint64_t i = 0; i < count; ++i) {
      asio::co_spawn(loop_.executor(), call_once(request, options_with(timeout)), asio::detached);
    }
  }
  void stream(std::uint64_t count, std::uint64_t timeout) {
    begun_ += count;
    for (std::uint64_t i = 0; i < count; ++i) {
      asio::co_spawn(loop_.executor(), read_stream(options_with(timeout)), asio::detached);
    }
  }
  void release() { gate_.open(); }
  Status close() { return channel_.close(std::chrono::seconds(1)); }

  void write_report(std::ostream& out) const {
    std::uint64_t ended = 0;
    for (const auto& count : ended_) ended += count;
    out << "\"begun\": " << begun_ << ", \"ended\": " << ended << ", \"messages\": " << messages_
        << ", \"message_bytes\": " << message_bytes_ << ", \"status\": {";
    const char* separator = "";
    for (std::size_t code = 0; code < ended_.size(); ++code) {
      if (ended_[code] == 0) continue;
      out << separator << '"' << code << "\": " << ended_[code];
      separator = ", ";
    }
    out << "}";
  }

 private:
  static CallOptions options_with(std::uint64_t timeout) {
    CallOptions options;
    options.wait_for_ready = true;
    if (timeout != 0) options.timeout = milliseconds(timeout);
    return options;
  }
  void end(const Status& status) { ++ended_.at(static_cast<std::size_t>(status.code())); }
  void count(const Slice& message) {
    ++messages_;
    message_bytes_ += message.size();
  }

  asio::awaitable<void> call_once(Slice request, CallOptions options) {
    const Result<Slice> response = co_await channel_.async_call<Slice>("echo", request, options, asio::use_awaitable);
    if (response) count(*response);
    end(response.status());
  }
  asio::awaitable<void> read_stream(CallOptions options) {
    auto stream = channel_.server_stream<Slice>("source", Slice::from_static("endless"), options);
    co_await gate_.async_wait();
    while (true) {
      const Result<std::optional<Slice>> next = co_await stream.async_read(asio::use_awaitable);
      if (!next || !next->has_value()) {
        end(next.status());
        co_return;
      }
      count(**next);
    }
  }

  Channel channel_;
  EventLoop& loop_;
  Gate gate_;
  std::atomic<std::uint64_t> begun_{0};
  std::array<std::atomic<std::uint64_t>, 17> ended_{};
  std::atomic<std::uint64_t> messages_{0};
  std::atomic<std::uint64_t> message_bytes_{0};
};

/// Calls the healthy server: 8 bytes, one call after the other, with a short pause.
class Bystander {
 public:
  Bystander(EventLoop& loop, std::string_view uri) : channel_(loop, uri) {
    asio::co_spawn(loop.executor(), call_all_the_time(), asio::detached);
  }
  void stop() { is_stopped_ = true; }

  void write_report(std::ostream& out) const {
    out << "\"echoes\": " << echoes_ << ", \"failures\": " << failures_ << ", \"worst\": " << worst_ns_ / 1e9;
  }

 private:
  asio::awaitable<void> call_all_the_time() {
    asio::steady_timer pause(co_await asio::this_coro::executor);
    const Slice request = Slice::from_static("8 bytes!");
    while (!is_stopped_) {
      const auto began = std::chrono::steady_clock::now();
      const Result<Slice> response = co_await channel_.async_call<Slice>("echo", request, asio::use_awaitable);
      const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - began;
      worst_ns_ = std::max(worst_ns_.load(), took.count());
      const bool is_right = response.is_ok() && response->text() == request.text();
      ++(is_right ? echoes_ : failures_);
      pause.expires_after(std::chrono::milliseconds(2));
      co_await pause.async_wait(asio::use_awaitable);
    }
  }

  Channel channel_;
  std::atomic<bool> is_stopped_{false};
  std::atomic<std::uint64_t> echoes_{0};
  std::atomic<std::uint64_t> failures_{0};
  std::atomic<std::int64_t> worst_ns_{0};
};

std::string report(const Attacked& attacked, const Bystander& bystander) {
  std::ostringstream text;
  text << "{";
  attacked.write_report(text);
  text << ", ";
  bystander.write_report(text);
  text << "}";
  return text.str();
}

void obey_commands(Attacked& attacked, const Bystander& bystander) {
  for (std::string line; std::getline(std::cin, line) && line != "stop";) {
    std::istringstream words(line);
    std::string command;
    std::uint64_t count = 0, size = 0, timeout = 0;
    words >> command;
    if (command == "call" && words >> count >> size >> timeout) {
      attacked.call(count, size, timeout);
      std::cout << "called" << std::endl;
    } else if (command == "stream" && words >> count >> timeout) {
      attacked.stream(count, timeout);
      std::cout << "called" << std::endl;
    } else if (command == "release") {
      attacked.release();
      std::cout << "released" << std::endl;
    } else if (command == "trim") {
      malloc_trim(0);
      std::cout << "trimmed" << std::endl;
    } else if (command == "report") {
      std::cout << report(attacked, bystander) << std::endl;
    } else {
      std::cout << "unknown command" << std::endl;
    }
  }
}

int run(std::span<char*> arguments) {
  std::signal(SIGPIPE, SIG_IGN);
  EventLoop loop;
  Attacked attacked(loop, arguments[0], options_from(arguments.subspan(2)));
  Bystander bystander(loop, arguments[1]);
  std::thread thread([&loop] { loop.run(); });
  std::cout << "ready" << std::endl;

  obey_commands(attacked, bystander);

  bystander.stop();
  attacked.release();
  static_cast<void>(attacked.close());
  // The loop hands over what close() has ended.
  loop.post([&loop] { loop.post([&loop] { loop.stop(); }); });
  thread.join();
  while (loop.poll()) {
  }
  std::cout << report(attacked, bystander) << std::endl;
  return 0;
}

}  // namespace

}  // namespace trunkline::hostile

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: " << argv[0] << " HOSTILE_URI HEALTHY_URI [OPTION=NUMBER...]\n";
    return 2;
  }
  try {
    return trunkline::hostile::run({argv + 1, static_cast<std::size_t>(argc - 1)});
  } catch (const std::exception& error) {
    std::cerr << "hostile_client: " << error.what() << "\n";
    return 2;
  }
}
