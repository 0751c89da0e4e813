// SPDX-License-Identifier: MIT
// Streaming methods, as coroutines.
#include "service.h"

#include <asio/use_awaitable.hpp>

#include <string>
#include <utility>
#include <vector>

namespace trunkline::interop {

namespace {

/// Reads up to `limit` integers.
asio::awaitable<Result<Value>> sum_of(ServerReader<Value>& requests, std::int64_t limit) {
  std::int64_t count = 0;
  std::int64_t sum = 0;
  while (count < limit) {
    Result<std::optional<Value>> next = co_await requests.async_read(asio::use_awaitable);
    if (!next) co_return next.status();
    if (!next->has_value()) break;
    ++count;
    sum += (*next)->as_int64();
  }
  co_return Value::object({{"count", count}, {"sum", sum}});
}

auto sum_with(std::int64_t limit) {
  return [limit](ServerReader<Value>& requests, Value& response, ServerContext& context) -> asio::awaitable<Status> {
    echo_metadata(context);
    Result<Value> sum = co_await sum_of(requests, limit);
    if (!sum) co_return sum.status();
    response = *std::move(sum);
    co_return Status::ok();
  };
}

asio::awaitable<Status> refuse(ServerReader<Value>& requests, Value&, ServerContext&) {
  if (auto first = co_await requests.async_read(asio::use_awaitable); !first) co_return first.status();
  co_return Status(StatusCode::failed_precondition, "no more");
}

asio::awaitable<Status> range(const Value& size, ServerWriter<Value>& responses, ServerContext& context) {
  echo_metadata(context);
  for (std::int64_t i = 0; i < size.as_int64(); ++i) {
    if (Status written = co_await responses.async_write(Value(i), asio::use_awaitable); !written) co_return written;
  }
  co_return Status::ok();
}

asio::awaitable<Status> chat(ServerStream<Slice, Slice>& stream, ServerContext& context, EventBoard& board) {
  echo_metadata(context);
  while (true) {
    Result<std::optional<Slice>> next = co_await stream.async_read(asio::use_awaitable);
    if (!next) co_return next.status();
    const Slice response = next->value_or(Slice::from_static("goodbye"));
    if (next->has_value() && response.text().starts_with("tell ")) board.tell(std::string(response.text().substr(5)));
    if (Status written = co_await stream.async_write(response, asio::use_awaitable); !written) co_return written;
    if (!next->has_value()) co_return Status::ok();
  }
}

asio::awaitable<Status> gather(ServerStream<Slice, Slice>& stream, ServerContext&) {
  std::vector<Slice> messages;
  while (true) {
    Result<std::optional<Slice>> next = co_await stream.async_read(asio::use_awaitable);
    if (!next) co_return next.status();
    if (!next->has_value()) break;
    messages.push_back(**std::move(next));
  }
  for (const Slice& message : messages) {
    if (Status written = co_await stream.async_write(message, asio::use_awaitable); !written) co_return written;
  }
  co_return Status::ok();
}

}  // namespace

void add_stream_methods(Server& server, EventBoard& board) {
  server.handle_client_stream<Value, Value>("interop.Test/Sum", sum_with(1 << 20));
  server.handle_client_stream<Value, Value>("interop.Test/SumTwo", sum_with(2));
  server.handle_client_stream<Value, Value>("interop.Test/Refuse", &refuse);
  server.handle_server_stream<Value, Value>("interop.Test/Range", &range);
  server.handle_stream<Slice, Slice>(
      "interop.Test/Chat",
      [&board](ServerStream<Slice, Slice>& stream, ServerContext& context) { return chat(stream, context, board); });
  server.handle_stream<Slice, Slice>("interop.Test/Gather", &gather);
}

}  // namespace trunkline::interop
