// SPDX-License-Identifier: MIT
// Streams of every kind: how many messages, in which order, and which side ends them.
#include "client.h"

#include <array>
#include <vector>

namespace trunkline::interop {

namespace {

using ByteStream = ClientStream<std::string, std::string>;

void expect_end(ByteStream& stream) {
  const auto read = stream.read();
  expect_ok(read.status());
  expect(!read->has_value(), "a message instead of the end");
  expect_ok(stream.finish());
}

Value sum_of(Client& client, const std::vector<int>& numbers, const CallOptions& options = {}) {
  auto stream = client.channel().client_stream<Value, Value>("interop.Test/Sum", options);
  for (const int number : numbers) expect_ok(stream.write(Value(number)));
  Value sum;
  expect_ok(stream.finish(sum));
  return sum;
}

Value summary(int count, int sum) { return Value::object({{"count", count}, {"sum", sum}}); }

void client_stream(Client& client) {
  std::vector<int> numbers(1000);
  for (int i = 0; i < 1000; ++i) numbers[static_cast<std::size_t>(i)] = i;
  expect(sum_of(client, numbers) == summary(1000, 499500), "another sum");
}

void empty_client_stream(Client& client) {
  // Without a request the server chooses the codec of its response.
  for (const std::string_view codec : {"", "json", "msgpack"}) {
    expect(sum_of(client, {}, {.codec = codec}) == summary(0, 0), "another sum");
  }
}

void server_ends_client_stream_early(Client& client) {
  auto stream = client.channel().client_stream<Value, Value>("interop.Test/SumTwo");
  expect_ok(stream.write(Value(1)));
  expect_ok(stream.write(Value(2)));
  expect(expect_message(stream.read()) == summary(2, 3), "another sum");
  expect_ok(stream.finish());
  // A write after the end fails with the status of the call.
  expect(!stream.write(Value(3)), "a message was written after the end");
}

void server_refuses_client_stream(Client& client) {
  auto stream = client.channel().client_stream<Value, Value>("interop.Test/Refuse");
  Status written = stream.write(Value(1));
  while (written) written = stream.write(Value(2));
  expect_error(written, StatusCode::failed_precondition, true);
  expect_error(stream.read().status(), StatusCode::failed_precondition, true);
  const Status status = stream.finish();
  expect_error(status, StatusCode::failed_precondition, true);
  expect(status.message() == "no more", "another message: " + status.to_string());
}

void server_stream(Client& client) {
  auto stream = client.channel().server_stream<Value>("interop.Test/Range", Value(1000));
  std::int64_t count = 0;
  Status status;
  for (const Value& message : stream.messages(status)) expect(message == Value(count++), "another message");
  expect_ok(status);
  expect(count == 1000, "other than 1000 messages");
  expect_ok(stream.finish());
}

void empty_server_stream(Client& client) {
  auto stream = client.channel().server_stream<Value>("interop.Test/Range", Value(0));
  const auto read = stream.read();
  expect_ok(read.status());
  expect(!read->has_value(), "a message instead of the end");
  expect_ok(stream.finish());
}

void ping_pong(Client& client) {
  auto stream = client.channel().stream<std::string, std::string>("interop.Test/Chat");
  for (const std::size_t size : {0u, 1u, 31415u, 9u, 2653u, 589793u}) {
    const std::string message(size, 'm');
    expect_ok(stream.write(message));
    expect(expect_message(stream.read()) == message, "another message");
  }
  expect_ok(stream.close_writes());
  expect(expect_message(stream.read()) == "goodbye", "no goodbye");
  expect_end(stream);
}

void half_close(Client& client) {
  auto stream = client.channel().stream<std::string, std::string>("interop.Test/Gather");
  for (int i = 0; i < 100; ++i) expect_ok(stream.write(std::to_string(i)));
  expect_ok(stream.close_writes());
  for (int i = 0; i < 100; ++i) expect(expect_message(stream.read()) == std::to_string(i), "another message");
  expect_end(stream);
}

void empty_bidirectional(Client& client) {
  auto stream = client.channel().stream<std::string, std::string>("interop.Test/Gather");
  expect_ok(stream.close_writes());
  expect_end(stream);
}

void large_stream_messages(Client& client) {
  auto stream = client.channel().stream<std::string, std::string>("interop.Test/Chat");
  const std::string large(3u << 20, 'l');
  for (int i = 0; i < 3; ++i) {
    expect_ok(stream.write(large));
    expect(expect_message(stream.read()) == large, "another message");
  }
  expect_ok(stream.close_writes());
  expect(expect_message(stream.read()) == "goodbye", "no goodbye");
  expect_end(stream);
}

void unary_method_as_stream(Client& client) {
  auto stream = client.channel().stream<std::string, std::string>("interop.Test/Echo");
  expect_ok(stream.write("one"));
  expect_ok(stream.close_writes());
  expect(expect_message(stream.read()) == "one", "another message");
  expect_end(stream);
}

constexpr std::array cases{
    Case{"client_stream", &client_stream},
    Case{"empty_client_stream", &empty_client_stream},
    Case{"server_ends_client_stream_early", &server_ends_client_stream_early},
    Case{"server_refuses_client_stream", &server_refuses_client_stream},
    Case{"server_stream", &server_stream},
    Case{"empty_server_stream", &empty_server_stream},
    Case{"ping_pong", &ping_pong},
    Case{"half_close", &half_close},
    Case{"empty_bidirectional", &empty_bidirectional},
    Case{"large_stream_messages", &large_stream_messages},
    Case{"unary_method_as_stream", &unary_method_as_stream},
};

}  // namespace

std::span<const Case> stream_cases() { return cases; }

}  // namespace trunkline::interop
