// SPDX-License-Identifier: MIT
// A server of a soak run.
// Usage: soak_server RECORD CLIENTS CERTIFICATES ENDPOINT...
// Counts in the file RECORD how often it has run each call of CLIENTS clients. CERTIFICATES is the folder of server.crt
// and server.key, which SIGHUP makes it read again. SIGTERM drains it.
#include "request_header.h"

#include <trunkline/blocking.h>
#include <trunkline/server.h>

#include <asio/experimental/awaitable_operators.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace trunkline::soak {
namespace {

/// Handlers of any thread use it.
class RunCounts {
 public:
  RunCounts(const std::string& path, std::size_t clients) : file_(path, clients * calls_per_client) {}

  /// Reads a request and counts its call.
  Status take(std::string_view message, RequestHeader& header) {
    if (!read_request(message, header) || header.number >= file_.bytes().size())
      return {StatusCode::data_loss, "the request is not what was sent"};
    const std::atomic_ref<std::uint8_t> count(file_.bytes()[header.number]);
    if (count.load(std::memory_order_relaxed) < 255) count.fetch_add(1, std::memory_order_relaxed);
    return {};
  }

 private:
  SharedFile file_;
};

Status respond(RunCounts& counts, const std::string& request, std::string& response) {
  RequestHeader header;
  if (Status status = counts.take(request, header); !status.is_ok()) return status;
  fill(response, header.number, header.response_bytes);
  return {};
}

Blocking<Status> block(RunCounts& counts, const std::string& request, std::string& response) {
  RequestHeader header;
  if (Status status = counts.take(request, header); !status.is_ok()) return status;
  std::this_thread::sleep_for(std::chrono::milliseconds(header.work_ms));
  fill(response, header.number, header.response_bytes);
  return Status();
}

asio::awaitable<Status> wait(RunCounts& counts, const std::string& request, std::string& response) {
  RequestHeader header;
  if (Status status = counts.take(request, header); !status.is_ok()) co_return status;
  asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds(header.work_ms));
  co_await timer.async_wait(asio::use_awaitable);
  fill(response, header.number, header.response_bytes);
  co_return Status();
}

/// Reads from streams, in one stream of four with so little patience that most reads are given up.
class Reader {
 public:
  Reader() : is_impatient_(next_stream_.fetch_add(1, std::memory_order_relaxed) % 4 == 0) {}

  template <class Stream>
  asio::awaitable<Result<std::optional<std::string>>> read(Stream& stream) {
    using namespace asio::experimental::awaitable_operators;
    asio::steady_timer timer(co_await asio::this_coro::executor);
    while (is_impatient_) {
      timer.expires_after(std::chrono::microseconds(patience_++ % 500));
      auto first = co_await (stream.async_read(asio::use_awaitable) || timer.async_wait(asio::use_awaitable));
      if (first.index() == 0) co_return std::get<0>(std::move(first));
    }
    co_return co_await stream.async_read(asio::use_awaitable);
  }

 private:
  static inline std::atomic<std::uint32_t> next_stream_{0};

  const bool is_impatient_;
  int patience_ = 0;
};

/// Many requests, the first of which has the header; the others are filled with its number.
asio::awaitable<Status> collect(RunCounts& counts, ServerReader<std::string>& requests, std::string& response) {
  RequestHeader header;
  Reader reader;
  std::uint32_t messages = 0;
  for (;; ++messages) {
    Result<std::optional<std::string>> next = co_await reader.read(requests);
    if (!next) co_return next.status();
    if (!next->has_value()) break;
    if (messages > 0) {
      if (!is_filled(**next, header.number, (*next)->size()))
        co_return Status(StatusCode::data_loss, "another message");
    } else if (Status status = counts.take(**next, header); !status.is_ok()) {
      co_return status;
    }
  }
  if (messages != header.messages) co_return Status(StatusCode::data_loss, "messages are missing");
  fill(response, header.number, header.response_bytes);
  co_return Status();
}

asio::awaitable<Status> expand(RunCounts& counts, const std::string& request, ServerWriter<std::string>& responses) {
  RequestHeader header;
  if (Status status = counts.take(request, header); !status.is_ok()) co_return status;
  std::string response;
  fill(response, header.number, header.response_bytes);
  for (std::uint32_t i = 0; i < header.messages; ++i) {
    if (Status written = co_await responses.async_write(response, asio::use_awaitable); !written.is_ok())
      co_return written;
  }
  co_return Status();
}

/// Each message is answered by one of response_bytes.
asio::awaitable<Status> talk(RunCounts& counts, ServerStream<std::string, std::string>& stream) {
  RequestHeader header;
  std::string response;
  Reader reader;
  for (bool is_first = true;; is_first = false) {
    Result<std::optional<std::string>> next = co_await reader.read(stream);
    if (!next) co_return next.status();
    if (!next->has_value()) co_return Status();
    if (is_first) {
      if (Status status = counts.take(**next, header); !status.is_ok()) co_return status;
      fill(response, header.number, header.response_bytes);
    }
    if (Status written = co_await stream.async_write(response, asio::use_awaitable); !written.is_ok())
      co_return written;
  }
}

void add_methods(Server& server, RunCounts& counts) {
  using Text = std::string;
  server.handle<Text, Text>("soak/Echo", [&counts](const Text& request, Text& response, ServerContext&) {
    return respond(counts, request, response);
  });
  server.handle<Text, Text>("soak/Block", [&counts](const Text& request, Text& response, ServerContext&) {
    return block(counts, request, response);
  });
  server.handle<Text, Text>("soak/Wait", [&counts](const Text& request, Text& response, ServerContext&) {
    return wait(counts, request, response);
  });
  server.handle_client_stream<Text, Text>("soak/Collect",
                                          [&counts](ServerReader<Text>& requests, Text& response, ServerContext&) {
                                            return collect(counts, requests, response);
                                          });
  server.handle_server_stream<Text, Text>(
      "soak/Expand", [&counts](const Text& request, ServerWriter<Text>& responses, ServerContext&) {
        return expand(counts, request, responses);
      });
  server.handle_stream<Text, Text>(
      "soak/Talk", [&counts](ServerStream<Text, Text>& stream, ServerContext&) { return talk(counts, stream); });
}

int serve(std::span<char*> arguments) {
  // The signals are blocked here and in every thread that the server starts, so that sigwait() below gets them.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGHUP}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  RunCounts counts(arguments[0], std::strtoul(arguments[1], nullptr, 10));
  const std::string certificates = arguments[2];
  ServerOptions options;
  options.loops = 2;
  options.worker_threads = 8;
  options.tls.certificate_file = certificates + "/server.crt";
  options.tls.private_key_file = certificates + "/server.key";
  Server server(std::move(options));
  add_methods(server, counts);
  for (const char* endpoint : arguments.subspan(3)) server.listen(endpoint);
  if (Status started = server.start(); !started) throw StatusError(started);
  std::cout << "listening" << std::endl;
  for (int number = 0; sigwait(&signals, &number) == 0 && number == SIGHUP;) {
    if (const Status reloaded = server.reload_tls(); !reloaded)
      std::cerr << "soak_server: " << reloaded.to_string() << std::endl;
  }
  const Status drained = server.shutdown(std::chrono::seconds(15));
  if (!drained) std::cerr << "soak_server: drain: " << drained.to_string() << std::endl;
  return drained ? 0 : 1;
}

}  // namespace
}  // namespace trunkline::soak

int main(int count, char** values) {
  if (count < 5) {
    std::cerr << "usage: soak_server RECORD CLIENTS CERTIFICATES ENDPOINT...\n";
    return 2;
  }
  try {
    return trunkline::soak::serve(std::span(values + 1, static_cast<std::size_t>(count - 1)));
  } catch (const std::exception& error) {
    std::cerr << "soak_server: " << error.what() << "\n";
    return 1;
  }
}
