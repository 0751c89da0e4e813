// SPDX-License-Identifier: MIT
// EchoServer: handlers that send payloads back unchanged.
#include "load/echo_server.h"

#include "base/process_usage.h"
#include "load/raw_message.h"

#include <trunkline/v1/statistics.pb.h>

#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include <charconv>
#include <optional>
#include <thread>
#include <utility>

namespace trunkline::load {
namespace {

constexpr std::uint32_t max_calls = 1u << 20;

ServerOptions server_options(ServerOptions options) {
  options.max_concurrent_calls_per_connection = max_calls;
  options.max_concurrent_calls = max_calls;
  // The messages of the statistics service are protobuf, and are encoded by hand here.
  for (const auto& codec : raw_codecs().codecs()) {
    if (codec->name() == "protobuf") options.codecs.add(codec);
  }
  return options;
}

std::size_t messages_asked(const Metadata& metadata) {
  const auto text = metadata.get(messages_key);
  std::size_t count = 1;
  if (text) std::from_chars(text->data(), text->data() + text->size(), count);
  return count;
}

}  // namespace

EchoServer::EchoServer(EchoOptions options) : options_(std::move(options)), server_(server_options(options_.server)) {
  if (options_.delay.is_none()) {
    add_unary();
  } else {
    add_delayed();
  }
  add_streams();
  add_statistics();
}

void EchoServer::add_unary() {
  const bool may_stall = options_.stall.count() > 0;
  server_.handle<Slice, Slice>(echo_method, [this, may_stall](const Slice& request, Slice& response, ServerContext&) {
    if (may_stall) stall_once();
    response = request;
    return Status::ok();
  });
}

void EchoServer::add_delayed() {
  const bool may_stall = options_.stall.count() > 0;
  server_.handle<Slice, Slice>(
      echo_method, [this, may_stall](const Slice& request, Slice& response, ServerContext&) -> asio::awaitable<Status> {
        if (may_stall) stall_once();
        thread_local DelayDistribution delays(options_.delay.with_seed(++seeds_));
        asio::steady_timer timer(co_await asio::this_coro::executor);
        timer.expires_after(delays.next());
        co_await timer.async_wait(asio::use_awaitable);
        response = request;
        co_return Status::ok();
      });
}

void EchoServer::add_streams() {
  server_.handle<Slice, Slice>(fence_method, [](const Slice&, Slice&, ServerContext&) { return Status::ok(); });
  server_.handle_client_stream<Slice, Slice>(
      gather_method, [](ServerReader<Slice>& requests, Slice& response, ServerContext&) -> asio::awaitable<Status> {
        while (true) {
          Result<std::optional<Slice>> next = co_await requests.async_read(asio::use_awaitable);
          if (!next) co_return next.status();
          if (!next->has_value()) co_return Status::ok();
          response = std::move(**next);
        }
      });
  server_.handle_server_stream<Slice, Slice>(
      scatter_method,
      [](const Slice& request, ServerWriter<Slice>& responses, ServerContext& context) -> asio::awaitable<Status> {
        for (std::size_t left = messages_asked(context.metadata()); left > 0; --left) {
          const Status status = co_await responses.async_write(request, asio::use_awaitable);
          if (!status.is_ok()) co_return status;
        }
        co_return Status::ok();
      });
  server_.handle_stream<Slice, Slice>(
      talk_method, [](ServerStream<Slice, Slice>& stream, ServerContext&) -> asio::awaitable<Status> {
        while (true) {
          Result<std::optional<Slice>> next = co_await stream.async_read(asio::use_awaitable);
          if (!next) co_return next.status();
          if (!next->has_value()) co_return Status::ok();
          const Status status = co_await stream.async_write(**next, asio::use_awaitable);
          if (!status.is_ok()) co_return status;
        }
      });
}

/// Adds statistics of the process as a whole: statistics of calls would read the clock for each call.
void EchoServer::add_statistics() {
  server_.handle<RawMessage, RawMessage>(
      "trunkline.v1.Statistics/Get", [this](const RawMessage&, RawMessage& response, ServerContext&) {
        const base::ProcessUsage usage = base::process_usage();
        v1::ServerStatistics sample;
        sample.set_process_id(usage.id);
        sample.set_uptime_ns(static_cast<std::uint64_t>((std::chrono::steady_clock::now() - started_).count()));
        sample.set_cpu_ns(static_cast<std::uint64_t>(usage.cpu.count()));
        sample.set_memory_bytes(usage.memory_bytes);
        response.bytes = Slice::from_string(sample.SerializeAsString());
        return Status::ok();
      });
}

void EchoServer::stall_once() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  std::int64_t at = stall_at_.load();
  if (at == 0) {
    stall_at_.compare_exchange_strong(at, (now + options_.stall_after).count());
  } else if (at > 0 && now.count() >= at && stall_at_.compare_exchange_strong(at, -1)) {
    std::this_thread::sleep_for(options_.stall);
  }
}

}  // namespace trunkline::load
