// SPDX-License-Identifier: MIT
// The server under attack. Its handlers wait for a gate, and count themselves; a line on standard input asks for more.
//
// Usage: hostile_server [OPTION=NUMBER...]    (set_option() and named_options.h name them)
//
// It prints its ports as one line of JSON. Then it reads commands, and responds to each with one line:
//   report    the totals of the server and the counts of the handlers, as JSON
//   trim      returns free memory to the system
//   release   ends the handlers that wait for the gate, now and in future
//   stop      releases, drains, reports, and exits; so do the end of the input and SIGTERM
// A command is sent only once the one before has its response.
// The same file is compiled with older commits: what they lack is looked up with `requires`.
#include "gate.h"
#include "named_options.h"
#include "self_signed.h"

#include <trunkline/message.h>
#include <trunkline/server.h>
#include <trunkline/value.h>

#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <malloc.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace trunkline::hostile {

namespace {

/// How many handlers run, the most that ever ran at a time, and how many have been started.
class HandlerCount {
 public:
  class Running {
   public:
    explicit Running(HandlerCount& count) : count_(count) {
      ++count_.started_;
      const int running = ++count_.running_;
      for (int peak = count_.peak_; peak < running && !count_.peak_.compare_exchange_weak(peak, running);) {
      }
    }
    ~Running() { --count_.running_; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    HandlerCount& count_;
  };

  int running() const { return running_; }
  int peak() const { return peak_; }
  int started() const { return started_; }

 private:
  std::atomic<int> running_{0};
  std::atomic<int> peak_{0};
  std::atomic<int> started_{0};
};

/// Counts the bytes that a compressor decompresses to.
class CountingCompressor final : public Compressor {
 public:
  CountingCompressor(std::shared_ptr<const Compressor> inner, std::atomic<std::uint64_t>& bytes)
      : inner_(std::move(inner)), bytes_(bytes) {}

  std::string_view name() const noexcept override { return inner_->name(); }
  Status compress(ByteSpan input, BufferWriter& out) const override { return inner_->compress(input, out); }
  Status decompress(ByteSpan input, MutableByteSpan out) const override {
    bytes_ += out.size();
    return inner_->decompress(input, out);
  }
  // Older commits do not have these functions, so they cannot be marked as overrides.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winconsistent-missing-override"
#endif
  virtual Status append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const {
    bytes_ += size;
    return append_with(*inner_, input, size, out);
  }
  virtual bool has_unsized_form() const noexcept { return has_unsized(*inner_); }
  virtual Status compress_unsized(ByteSpan input, BufferWriter& out) const {
    return compress_unsized_with(*inner_, input, out);
  }
  virtual Status decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const {
    const Status status = decompress_unsized_with(*inner_, input, limit, out);
    bytes_ += out.size();
    return status;
  }
#ifdef __clang__
#pragma clang diagnostic pop
#endif

 private:
  template <class Inner>
  static Status append_with(const Inner& inner, ByteSpan input, std::size_t size, BufferWriter& out) {
    if constexpr (requires { inner.append_decompressed(input, size, out); }) {
      return inner.append_decompressed(input, size, out);
    } else {
      return Status(StatusCode::unimplemented, "append_decompressed");
    }
  }
  template <class Inner>
  static bool has_unsized(const Inner& inner) noexcept {
    if constexpr (requires { inner.has_unsized_form(); }) return inner.has_unsized_form();
    return false;
  }
  template <class Inner>
  static Status compress_unsized_with(const Inner& inner, ByteSpan input, BufferWriter& out) {
    if constexpr (requires { inner.compress_unsized(input, out); }) return inner.compress_unsized(input, out);
    return Status(StatusCode::unimplemented, "compress_unsized");
  }
  template <class Inner>
  static Status decompress_unsized_with(const Inner& inner, ByteSpan input, std::size_t limit, BufferWriter& out) {
    if constexpr (requires { inner.decompress_unsized(input, limit, out); }) {
      return inner.decompress_unsized(input, limit, out);
    }
    return Status(StatusCode::unimplemented, "decompress_unsized");
  }

  std::shared_ptr<const Compressor> inner_;
  std::atomic<std::uint64_t>& bytes_;
};

/// All that the handlers share.
struct State {
  Gate gate;
  HandlerCount handlers;
  std::atomic<std::uint64_t> decompressed{0};
  std::atomic<std::uint64_t> messages{0};
  std::atomic<std::uint64_t> message_bytes{0};

  void count(const Slice& message) {
    ++messages;
    message_bytes += message.size();
  }
};

// --- options ---

template <class Options>
bool set_option(Options& options, std::string_view name, std::uint64_t number) {
  if (name == "loops") return options.loops = number, true;
  if (name == "worker_threads") return options.worker_threads = number, true;
  if (name == "max_connections") return options.max_connections = number, true;
  if (name == "max_concurrent_calls") return options.max_concurrent_calls = number, true;
  if (name == "max_concurrent_calls_per_connection")
    return options.max_concurrent_calls_per_connection = static_cast<std::uint32_t>(number), true;
  if (name == "max_queued_blocking_calls") return options.max_queued_blocking_calls = number, true;
  if (name == "max_cancelled_calls_per_second") {
    if constexpr (requires { options.max_cancelled_calls_per_second; }) options.max_cancelled_calls_per_second = number;
    return true;
  }
  if (name == "max_connections_per_peer") {
    if constexpr (requires { options.max_connections_per_peer; }) options.max_connections_per_peer = number;
    return true;
  }
  if (name == "max_concurrent_calls_per_peer") {
    if constexpr (requires { options.max_concurrent_calls_per_peer; }) options.max_concurrent_calls_per_peer = number;
    return true;
  }
  return set_common_option(options, name, number);
}

ServerOptions options_from(std::span<char*> arguments) {
  ServerOptions options;
  options.worker_threads = 2;
  read_options(arguments,
               [&](std::string_view name, std::uint64_t number) { return set_option(options, name, number); });
  return options;
}

CompressorRegistry counted(const CompressorRegistry& compressors, State& state) {
  CompressorRegistry result;
  for (const auto& compressor : compressors.compressors()) {
    result.add(std::make_shared<CountingCompressor>(compressor, state.decompressed));
  }
  return result;
}

// --- methods ---

std::size_t number_in(std::string_view text, std::size_t fallback) {
  std::size_t number = fallback;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// "COUNT SIZE" as two numbers.
std::pair<std::size_t, std::size_t> count_and_size(std::string_view text) {
  const std::size_t space = std::min(text.find(' '), text.size());
  return {number_in(text, 0), number_in(text.substr(std::min(space + 1, text.size())), 0)};
}

Slice message_of(std::size_t size) { return Slice::from_string(std::string(size, 'x')); }

asio::awaitable<Status> wait_until_cancelled(State& state) {
  const HandlerCount::Running running(state.handlers);
  asio::error_code cancelled;
  asio::steady_timer timer(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  co_return Status::ok();
}

asio::awaitable<Status> wait_for_gate(State& state) {
  const HandlerCount::Running running(state.handlers);
  co_await state.gate.async_wait();
  co_return Status::ok();
}

void add_unary_methods(Server& server, State& state) {
  server.handle<Slice, Slice>("echo", [](const Slice& request, Slice& response, ServerContext&) {
    response = request;
    return Status::ok();
  });
  server.handle<Slice, Empty>("take", [&state](const Slice& request, ServerContext&) {
    state.count(request);
    return Status::ok();
  });
  server.handle<Slice, Slice>("big", [](const Slice& request, Slice& response, ServerContext&) {
    response = message_of(number_in(request.text(), 0));
    return Status::ok();
  });
  server.handle<Value, Empty>("value", [](const Value&, ServerContext&) { return Status::ok(); });
  // Ends when it is cancelled, and only then.
  server.handle<Slice, Empty>("wait", [&state](const Slice&, ServerContext&) { return wait_until_cancelled(state); });
  // Deaf to cancellation: it ends when the gate is opened.
  server.handle<Slice, Empty>("deaf", [&state](const Slice&, ServerContext&) { return wait_for_gate(state); });
  server.handle_blocking<Slice, Empty>("block", [&state](const Slice&, ServerContext&) {
    const HandlerCount::Running running(state.handlers);
    state.gate.wait();
    return Status::ok();
  });
}

asio::awaitable<Status> read_all(ServerReader<Slice>& requests, State& state) {
  const HandlerCount::Running running(state.handlers);
  while (true) {
    const Result<std::optional<Slice>> next = co_await requests.async_read(asio::use_awaitable);
    if (!next) co_return next.status();
    if (!next->has_value()) co_return Status::ok();
    state.count(**next);
  }
}

asio::awaitable<Status> write_many(std::string text, ServerWriter<Slice>& responses, State& state) {
  const HandlerCount::Running running(state.handlers);
  const auto [count, size] = count_and_size(text);
  for (std::size_t i = 0; i < count; ++i) {
    if (Status written = co_await responses.async_write(message_of(size), asio::use_awaitable); !written) {
      co_return written;
    }
  }
  co_return Status::ok();
}

asio::awaitable<Status> echo_all(ServerStream<Slice, Slice>& stream, State& state) {
  const HandlerCount::Running running(state.handlers);
  while (true) {
    const Result<std::optional<Slice>> next = co_await stream.async_read(asio::use_awaitable);
    if (!next) co_return next.status();
    if (!next->has_value()) co_return Status::ok();
    if (Status written = co_await stream.async_write(**next, asio::use_awaitable); !written) co_return written;
  }
}

void add_stream_methods(Server& server, State& state) {
  server.handle_client_stream<Slice, Empty>(
      "sink", [&state](ServerReader<Slice>& requests, Empty&, ServerContext&) { return read_all(requests, state); });
  // Reads nothing until it is cancelled.
  server.handle_client_stream<Slice, Empty>(
      "unread", [&state](ServerReader<Slice>&, Empty&, ServerContext&) { return wait_until_cancelled(state); });
  server.handle_server_stream<Slice, Slice>(
      "source", [&state](const Slice& request, ServerWriter<Slice>& responses, ServerContext&) {
        return write_many(request.to_string(), responses, state);
      });
  server.handle_stream<Slice, Slice>(
      "chat", [&state](ServerStream<Slice, Slice>& stream, ServerContext&) { return echo_all(stream, state); });
}

// --- commands ---

std::string report(const Server& server, const State& state) {
  const ServerTotals totals = server.totals();
  const std::pair<const char*, std::uint64_t> counts[] = {
      {"connections", totals.connections},
      {"open_calls", totals.open_calls},
      {"queued_blocking_calls", totals.queued_blocking_calls},
      {"connections_accepted", totals.connections_accepted},
      {"connections_refused", totals.connections_refused},
      {"calls_started", totals.calls_started},
      {"calls_ok", totals.calls_ok},
      {"calls_failed", totals.calls_failed},
      {"calls_cancelled", totals.calls_cancelled},
      {"calls_refused", totals.calls_refused},
      {"running_handlers", static_cast<std::uint64_t>(state.handlers.running())},
      {"peak_handlers", static_cast<std::uint64_t>(state.handlers.peak())},
      {"started_handlers", static_cast<std::uint64_t>(state.handlers.started())},
      {"decompressed_bytes", state.decompressed.load()},
      {"messages", state.messages.load()},
      {"message_bytes", state.message_bytes.load()},
  };
  std::ostringstream text;
  for (const auto& [name, count] : counts) text << (text.tellp() == 0 ? "{" : ", ") << '"' << name << "\": " << count;
  text << "}";
  return text.str();
}

std::string ports_of(Server& server, const ServerOptions& options) {
  std::ostringstream text;
  text << "{\"tcp\": " << server.listen("tcp://127.0.0.1:0").port();
  if (!options.tls.certificate_file.empty()) text << ", \"tls\": " << server.listen("tls://127.0.0.1:0").port();
  text << ", \"compressors\": [";
  const char* separator = "";
  for (const auto& compressor : options.compressors.compressors()) {
    text << std::exchange(separator, ", ") << '"' << compressor->name() << '"';
  }
  text << "]}";
  return text.str();
}

/// A descriptor that is readable once SIGTERM has come. The signal is blocked in this thread and in all that it starts.
int watch_for_termination() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return ::signalfd(-1, &signals, SFD_CLOEXEC);
}

/// Waits for a command, or for the end of the input. False: SIGTERM has come.
bool has_command(int termination) {
  pollfd watched[] = {{STDIN_FILENO, POLLIN, 0}, {termination, POLLIN, 0}};
  while (::poll(watched, std::size(watched), -1) < 0) {
  }
  return watched[1].revents == 0;
}

void obey_commands(Server& server, State& state, int termination) {
  for (std::string command; has_command(termination) && std::getline(std::cin, command) && command != "stop";) {
    if (command == "report") {
      std::cout << report(server, state) << std::endl;
    } else if (command == "trim") {
      malloc_trim(0);
      std::cout << "trimmed" << std::endl;
    } else if (command == "release") {
      state.gate.open();
      std::cout << "released" << std::endl;
    } else {
      std::cout << "unknown command" << std::endl;
    }
  }
}

int serve(std::span<char*> arguments) {
  std::signal(SIGPIPE, SIG_IGN);
  const int termination = watch_for_termination();
  State state;
  const SelfSigned certificate;
  ServerOptions options = options_from(arguments);
  options.compressors = counted(options.compressors, state);
  options.tls = certificate.options();
  Server server(options);
  add_unary_methods(server, state);
  add_stream_methods(server, state);
  std::cout << ports_of(server, options) << std::endl;
  if (const Status started = server.start(); !started) throw StatusError(started);

  obey_commands(server, state, termination);

  state.gate.open();
  const Status drained = server.shutdown(std::chrono::seconds(20));
  std::cout << "stopped: " << drained.to_string() << " " << report(server, state) << std::endl;
  return drained ? 0 : 1;
}

}  // namespace

}  // namespace trunkline::hostile

int main(int argc, char** argv) {
  try {
    return trunkline::hostile::serve({argv + 1, static_cast<std::size_t>(argc - 1)});
  } catch (const std::exception& error) {
    std::cerr << "hostile_server: " << error.what() << "\n";
    return 2;
  }
}
