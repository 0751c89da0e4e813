// SPDX-License-Identifier: MIT
// Messages of a bidirectional stream over inproc://, with coroutines on both sides of one loop: ping-pong and
// pipelined.
#include "micro/measurement.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <benchmark/benchmark.h>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/use_awaitable.hpp>

#include <optional>
#include <string>

namespace trunkline {
namespace {

using Stream = ClientStream<std::string, std::string>;
using Peer = ServerStream<std::string, std::string>;

asio::awaitable<Status> echo(Peer& stream, ServerContext&) {
  while (true) {
    Result<std::optional<std::string>> message = co_await stream.async_read(asio::use_awaitable);
    if (!message) co_return message.status();
    if (!message->has_value()) co_return Status();
    if (const Status written = co_await stream.async_write(**message, asio::use_awaitable); !written) co_return written;
  }
}

asio::awaitable<bool> write_and_read(Stream& stream, const std::string& message, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!co_await stream.async_write(message, asio::use_awaitable)) co_return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto response = co_await stream.async_read(asio::use_awaitable);
    if (!response || !response->has_value() || (*response)->size() != message.size()) co_return false;
  }
  co_return true;
}

/// `window` messages are written before their responses are read.
void BM_StreamEcho(benchmark::State& state) {
  const auto window = static_cast<std::size_t>(state.range(0));
  const std::string message(static_cast<std::size_t>(state.range(1)), 'x');
  EventLoop loop;
  Server server(loop);
  server.handle_stream<std::string, std::string>("bench/Talk", &echo);
  Channel channel(loop, server.listen("inproc://bench-stream").to_string());
  const auto run = [&]() -> asio::awaitable<void> {
    Stream stream = channel.stream<std::string, std::string>(channel.method("bench/Talk"));
    bool is_right = true;
    for (int i = 0; i < 100 && is_right; ++i) is_right = co_await write_and_read(stream, message, window);
    bench::Measurement measurement(state);
    for (auto _ : state) is_right = is_right && co_await write_and_read(stream, message, window);
    measurement.finish(window, window * message.size() * 2);
    if (!is_right) state.SkipWithError("a wrong response");
    co_await stream.async_close_writes(asio::use_awaitable);
    co_await stream.async_finish(asio::use_awaitable);
    loop.stop();
  };
  asio::co_spawn(loop.executor(), run(), asio::detached);
  loop.run();
}
BENCHMARK(BM_StreamEcho)->ArgsProduct({{1, 16}, {8, 1024, 65536}})->ArgNames({"window", "bytes"});

}  // namespace
}  // namespace trunkline
