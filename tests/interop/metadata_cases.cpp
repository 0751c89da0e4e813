// SPDX-License-Identifier: MIT
// Metadata in both directions: repeated names and binary values, on every kind of call.
#include "client.h"

#include <array>

namespace trunkline::interop {

namespace {

const std::string binary("\x00\xff\x80", 3);

Metadata sent() {
  return {{"leading-a", "1"},      {"leading-a", "2"}, {"leading-b-bin", binary},  {"other", "x"},
          {"trailing-a", "grüße"}, {"trailing-a", ""}, {"trailing-b-bin", binary}, {"trailing-b-bin", ""},
          {"leading-a", "3"}};
}

void expect_echoed(const Metadata& leading, const Metadata& trailing,
                   std::source_location where = std::source_location::current()) {
  const Metadata expected_leading{
      {"leading-a", "1"}, {"leading-a", "2"}, {"leading-b-bin", binary}, {"leading-a", "3"}};
  const Metadata expected_trailing{
      {"trailing-a", "grüße"}, {"trailing-a", ""}, {"trailing-b-bin", binary}, {"trailing-b-bin", ""}};
  expect(leading == expected_leading, "other leading metadata", where);
  expect(trailing == expected_trailing, "other trailing metadata", where);
}

void metadata_of_unary(Client& client) {
  ResponseInfo info;
  const CallOptions options{.metadata = sent(), .response_info = &info};
  expect_value(client.channel().call<std::string>("interop.Test/Echo", std::string("m"), options));
  expect_echoed(info.leading, info.trailing);
  expect(info.peer.starts_with("tcp://127.0.0.1:"), "another peer: " + info.peer);
}

void metadata_of_client_stream(Client& client) {
  auto stream = client.channel().client_stream<Value, Value>("interop.Test/Sum", {.metadata = sent()});
  expect_ok(stream.write(Value(1)));
  Value sum;
  expect_ok(stream.finish(sum));
  expect_echoed(stream.leading(), stream.trailing());
}

void metadata_of_server_stream(Client& client) {
  for (const int messages : {0, 2}) {
    auto stream = client.channel().server_stream<Value>("interop.Test/Range", Value(messages), {.metadata = sent()});
    Status status;
    for ([[maybe_unused]] const Value& message : stream.messages(status)) continue;
    expect_ok(status);
    expect_ok(stream.finish());
    expect_echoed(stream.leading(), stream.trailing());
  }
}

void metadata_of_bidirectional(Client& client) {
  auto stream = client.channel().stream<std::string, std::string>("interop.Test/Chat", {.metadata = sent()});
  expect_ok(stream.write("m"));
  expect_message(stream.read());
  const Metadata leading = stream.leading();
  expect(stream.trailing().empty(), "trailing metadata before the end");
  expect_ok(stream.close_writes());
  expect_message(stream.read());
  expect_ok(stream.finish());
  expect_echoed(leading, stream.trailing());
}

constexpr std::array cases{
    Case{"metadata_of_unary", &metadata_of_unary},
    Case{"metadata_of_client_stream", &metadata_of_client_stream},
    Case{"metadata_of_server_stream", &metadata_of_server_stream},
    Case{"metadata_of_bidirectional", &metadata_of_bidirectional},
};

}  // namespace

std::span<const Case> metadata_cases() { return cases; }

}  // namespace trunkline::interop
