// SPDX-License-Identifier: MIT
// Calls grpcio_server.py: every kind of call, statuses, metadata, deadlines, cancellation, compression, goaway.
// Usage: grpcio_client ENDPOINT
#include <trunkline/channel.h>
#include <trunkline/protobuf.h>

#include <google/protobuf/wrappers.pb.h>

#include <chrono>
#include <functional>
#include <future>
#include <iostream>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::interop {

namespace {

using google::protobuf::BytesValue;
using google::protobuf::Int64Value;
using google::protobuf::StringValue;
using namespace std::chrono_literals;

void expect(bool holds, std::string_view what, std::source_location where = std::source_location::current()) {
  if (!holds) throw std::runtime_error("line " + std::to_string(where.line()) + ": " + std::string(what));
}

void expect_ok(const Status& status, std::source_location where = std::source_location::current()) {
  expect(status.is_ok(), status.to_string(), where);
}

template <class Message, class Value>
Message of(Value value) {
  Message message;
  message.set_value(std::move(value));
  return message;
}

const CallOptions in_time{.timeout = 20s};

void unary(Channel& channel) {
  for (const std::size_t size : {0u, 1u, 100u, 16379u, 16384u, 65535u, 70000u, 3000000u}) {
    const auto request = of<BytesValue>(std::string(size, 'x'));
    const Result<BytesValue> response = channel.call<BytesValue>("interop.Grpc/Echo", request, in_time);
    expect_ok(response.status());
    expect(response->value() == request.value(), "echo of " + std::to_string(size) + " bytes");
  }
}

void many(Channel& channel) {
  std::vector<std::future<Result<BytesValue>>> calls;
  for (int i = 0; i < 1000; ++i) {
    calls.push_back(channel.async_call<BytesValue>("interop.Grpc/Echo", of<BytesValue>(std::to_string(i)), in_time,
                                                   asio::use_future));
  }
  for (int i = 0; i < 1000; ++i) {
    const Result<BytesValue> response = calls[static_cast<std::size_t>(i)].get();
    expect_ok(response.status());
    expect(response->value() == std::to_string(i), "call " + std::to_string(i));
  }
}

void compressed(Channel& channel) {
  const auto request = of<BytesValue>(std::string(100000, 'c'));
  CallOptions options = in_time;
  options.compressor = "gzip";

  const Result<BytesValue> response = channel.call<BytesValue>("interop.Grpc/Echo", request, options);

  expect_ok(response.status());
  expect(response->value() == request.value(), "compressed echo");
}

void errors(Channel& channel) {
  ResponseInfo info;
  CallOptions options = in_time;
  options.response_info = &info;
  options.metadata.add("tell", "me");
  options.metadata.add("tell-bin", std::string("\0\xFF", 2));

  const Status status = channel.call<StringValue>("interop.Grpc/Fail", of<StringValue>("x"), options).status();

  expect(status.code() == StatusCode::failed_precondition, status.to_string());
  expect(status.message() == "100 % caf\xC3\xA9\n", status.to_string());
  expect(
      status.details().size() == 1 && status.details()[0].type_url == "type.googleapis.com/google.protobuf.StringValue",
      "details");
  expect(info.trailing.get("told") == std::optional<std::string_view>("me"), "metadata");
  expect(info.trailing.get("told-bin") == std::optional<std::string_view>(std::string_view("\0\xFF", 2)), "-bin");
  const auto missing = channel.call<StringValue>("interop.Grpc/Missing", of<StringValue>("x"), in_time).status();
  expect(missing.code() == StatusCode::unimplemented, missing.to_string());
}

void leading(Channel& channel) {
  ResponseInfo info;
  CallOptions options = in_time;
  options.response_info = &info;

  expect_ok(channel.call<BytesValue>("interop.Grpc/Echo", of<BytesValue>("x"), options).status());

  expect(info.leading.get("leading") == std::optional<std::string_view>("yes"), "leading metadata");
  expect(info.trailing.get("trailing") == std::optional<std::string_view>("yes"), "trailing metadata");
}

void streams(Channel& channel) {
  auto range = channel.server_stream<Int64Value>("interop.Grpc/Range", of<Int64Value>(1000), in_time);
  std::int64_t seen = 0;
  for (;;) {
    const Result<std::optional<Int64Value>> read = range.read();
    expect_ok(read.status());
    if (!read->has_value()) break;
    expect((*read)->value() == seen++, "order of a server stream");
  }
  expect(seen == 1000, "length of a server stream");
  expect_ok(range.finish());

  auto sum = channel.client_stream<Int64Value, Int64Value>("interop.Grpc/Sum", in_time);
  for (int i = 1; i <= 1000; ++i) expect_ok(sum.write(of<Int64Value>(i)));
  expect_ok(sum.close_writes());
  const Result<std::optional<Int64Value>> total = sum.read();
  expect_ok(total.status());
  expect(total->has_value() && (*total)->value() == 500500, "sum");
  expect_ok(sum.finish());

  auto chat = channel.stream<BytesValue, BytesValue>("interop.Grpc/Chat", in_time);
  for (const std::size_t size : {1u, 100000u, 2000000u}) {
    expect_ok(chat.write(of<BytesValue>(std::string(size, 'y'))));
    const Result<std::optional<BytesValue>> read = chat.read();
    expect_ok(read.status());
    expect(read->has_value() && (*read)->value().size() == size, "chat");
  }
  expect_ok(chat.close_writes());
  expect_ok(chat.finish());
}

void deadline(Channel& channel) {
  const Status status = channel.call<Int64Value>("interop.Grpc/Hang", of<Int64Value>(0), {.timeout = 200ms}).status();

  expect(status.code() == StatusCode::deadline_exceeded, status.to_string());
}

void cancellation(Channel& channel) {
  {
    auto stream = channel.server_stream<Int64Value>("interop.Grpc/Forever", of<Int64Value>(0), in_time);
    expect_ok(stream.read().status());
    stream.cancel();
  }
  for (int i = 0; i < 100; ++i) {
    const auto count = channel.call<Int64Value>("interop.Grpc/Cancelled", of<Int64Value>(0), in_time);
    expect_ok(count.status());
    if (count->value() > 0) return;
  }
  expect(false, "the server has seen no cancellation");
}

void one_way(Channel& channel) {
  for (int i = 0; i < 10; ++i) expect_ok(channel.call_oneway("interop.Grpc/Echo", of<BytesValue>("x")));
  expect_ok(channel.call<BytesValue>("interop.Grpc/Echo", of<BytesValue>("x"), in_time).status());
}

int run(std::string_view endpoint) {
  ChannelOptions options;
  options.tls.verify_peer = false;
  Channel channel(endpoint, options);
  const std::vector<std::pair<std::string_view, std::function<void(Channel&)>>> cases = {
      {"unary", unary},     {"many", many},       {"compressed", compressed}, {"errors", errors},
      {"leading", leading}, {"streams", streams}, {"deadline", deadline},     {"cancellation", cancellation},
      {"one_way", one_way},
  };
  bool right = true;
  for (const auto& [name, play] : cases) {
    try {
      play(channel);
      std::cout << "ok " << name << std::endl;
    } catch (const std::exception& error) {
      std::cout << "failed " << name << ": " << error.what() << std::endl;
      right = false;
    }
  }
  return right ? 0 : 1;
}

}  // namespace

}  // namespace trunkline::interop

int main(int count, char** arguments) {
  if (count != 2) return 2;
  return trunkline::interop::run(arguments[1]);
}
