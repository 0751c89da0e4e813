// SPDX-License-Identifier: MIT
// Cancelled calls: both the caller and the handler notice.
#include "client.h"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/use_future.hpp>

#include <array>
#include <optional>

namespace trunkline::interop {

namespace {

using ByteStream = ClientStream<std::string, std::string>;

void expect_cancelled(const Status& status, std::source_location where = std::source_location::current()) {
  expect_error(status, StatusCode::cancelled, true, where);
  expect(status.origin() == StatusOrigin::local, "its origin is not local: " + status.to_string(), where);
}

void cancel_unary(Client& client) {
  const std::string name = client.fresh_name();
  asio::cancellation_signal signal;
  auto hanging = client.channel().async_call<Empty>("interop.Test/Hang", Value(name),
                                                    asio::bind_cancellation_slot(signal.slot(), asio::use_future));
  client.wait_for(name + " begun");

  signal.emit(asio::cancellation_type::terminal);

  expect_cancelled(hanging.get().status());
  client.wait_for(name + " cancelled");
}

ByteStream hanging_stream(Client& client, const std::string& name) {
  return client.channel().stream<std::string, std::string>("interop.Test/HangStream", {.metadata = {{"name", name}}});
}

void cancel_stream_before_first_message(Client& client) {
  const std::string name = client.fresh_name();
  ByteStream stream = hanging_stream(client, name);
  client.wait_for(name + " begun");

  stream.cancel();

  expect_cancelled(stream.read().status());
  expect_cancelled(stream.finish());
  client.wait_for(name + " cancelled");
}

void cancel_stream_after_first_message(Client& client) {
  const std::string name = client.fresh_name();
  ByteStream stream = hanging_stream(client, name);
  expect_ok(stream.write("m"));
  expect(expect_message(stream.read()) == "m", "another message");

  stream.cancel();

  expect_cancelled(stream.read().status());
  expect_cancelled(stream.write("m"));
  client.wait_for(name + " cancelled");
}

void cancel_server_stream(Client& client) {
  const std::string name = client.fresh_name();
  auto stream = client.channel().server_stream<std::string>("interop.Test/Flood", name);
  for (int i = 0; i < 3; ++i) expect(expect_message(stream.read()).size() == 64u << 10, "another message");

  stream.cancel();

  // Messages that arrived before may still be read.
  auto read = stream.read();
  while (read) read = stream.read();
  expect_cancelled(read.status());
  client.wait_for(name + " cancelled");
}

void abandon_stream(Client& client) {
  const std::string name = client.fresh_name();
  std::optional<ByteStream> stream = hanging_stream(client, name);
  client.wait_for(name + " begun");

  stream.reset();

  client.wait_for(name + " cancelled");
}

void close_channel_with_calls(Client& client) {
  const std::string unary = client.fresh_name();
  const std::string streaming = client.fresh_name();
  Channel channel(client.endpoint(), Client::options());
  auto hanging = channel.submit<Empty>("interop.Test/Hang", Value(unary));
  auto stream =
      channel.stream<std::string, std::string>("interop.Test/HangStream", {.metadata = {{"name", streaming}}});
  client.wait_for(unary + " begun");
  client.wait_for(streaming + " begun");

  expect_error(channel.close(0ns), StatusCode::deadline_exceeded, true);

  expect_cancelled(hanging.get().status());
  expect_cancelled(stream.read().status());
  client.wait_for(unary + " cancelled");
  client.wait_for(streaming + " cancelled");
  expect_error(channel.call<Empty>("interop.Test/Nothing", Empty()).status(), StatusCode::failed_precondition, false);
}

constexpr std::array cases{
    Case{"cancel_unary", &cancel_unary},
    Case{"cancel_stream_before_first_message", &cancel_stream_before_first_message},
    Case{"cancel_stream_after_first_message", &cancel_stream_after_first_message},
    Case{"cancel_server_stream", &cancel_server_stream},
    Case{"abandon_stream", &abandon_stream},
    Case{"close_channel_with_calls", &close_channel_with_calls},
};

}  // namespace

std::span<const Case> cancel_cases() { return cases; }

}  // namespace trunkline::interop
