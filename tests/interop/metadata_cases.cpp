// SPDX-License-Identifier: MIT
// Metadata in both directions: repeated names and binary values, on every kind of call.
#include "client.h"

#include <array>

namespace trunkline::interop {

namespace {

const std::string binary("\x00\xff\x80", 3);

/// gRPC carries printable ASCII, and other values under names that end in -bin.
std::string text_for(const Client& client) { return client.is_grpc() ? "gruesse" : "grüße"; }

Metadata sent_with(const std::string& text) {
  return {{"leading-a", "1"},   {"leading-a", "2"}, {"leading-b-bin", binary},  {"other", "x"},
          {"trailing-a", text}, {"trailing-a", ""}, {"trailing-b-bin", binary}, {"trailing-b-bin", ""},
          {"leading-a", "3"}};
}

Metadata sent(const Client& client) { return sent_with(text_for(client)); }

void expect_echoed(const Client& client, const Metadata& leading, const Metadata& trailing,
                   std::source_location where = std::source_location::current()) {
  const Metadata expected_leading{
      {"leading-a", "1"}, {"leading-a", "2"}, {"leading-b-bin", binary}, {"leading-a", "3"}};
  const Metadata expected_trailing{
      {"trailing-a", text_for(client)}, {"trailing-a", ""}, {"trailing-b-bin", binary}, {"trailing-b-bin", ""}};
  expect(leading == expected_leading, "other leading metadata", where);
  expect(trailing == expected_trailing, "other trailing metadata", where);
}

/// What gRPC cannot carry is refused before anything is sent.
void expect_refused(const Status& status) {
  expect_error(status, StatusCode::invalid_argument, false);
  expect(status.origin() == StatusOrigin::local, "its origin is not local: " + status.to_string());
  expect(status.message().find("entry trailing-a has a value that is not printable ASCII") != std::string_view::npos,
         "another message: " + status.to_string());
}

void metadata_of_unary(Client& client) {
  ResponseInfo info;
  const CallOptions options{.metadata = sent(client), .response_info = &info};
  expect_value(client.channel().call<std::string>("interop.Test/Echo", std::string("m"), options));
  expect_echoed(client, info.leading, info.trailing);
  expect(info.peer == client.address(), "another peer: " + info.peer);
  if (!client.is_grpc()) return;
  const auto refused =
      client.channel().call<std::string>("interop.Test/Echo", std::string("m"), {.metadata = sent_with("grüße")});
  expect_refused(refused.status());
}

void metadata_of_client_stream(Client& client) {
  if (client.is_grpc()) {
    auto refused = client.channel().client_stream<Value, Value>("interop.Test/Sum", {.metadata = sent_with("grüße")});
    expect_refused(refused.write(Value(1)));
    Value none;
    expect_refused(refused.finish(none));
  }
  auto stream = client.channel().client_stream<Value, Value>("interop.Test/Sum", {.metadata = sent(client)});
  expect_ok(stream.write(Value(1)));
  Value sum;
  expect_ok(stream.finish(sum));
  expect_echoed(client, stream.leading(), stream.trailing());
}

void metadata_of_server_stream(Client& client) {
  if (client.is_grpc()) {
    const CallOptions options{.metadata = sent_with("grüße")};
    auto refused = client.channel().server_stream<Value>("interop.Test/Range", Value(2), options);
    expect_refused(refused.read().status());
    expect_refused(refused.finish());
  }
  for (const int messages : {0, 2}) {
    auto stream =
        client.channel().server_stream<Value>("interop.Test/Range", Value(messages), {.metadata = sent(client)});
    Status status;
    for ([[maybe_unused]] const Value& message : stream.messages(status)) continue;
    expect_ok(status);
    expect_ok(stream.finish());
    expect_echoed(client, stream.leading(), stream.trailing());
  }
}

void metadata_of_bidirectional(Client& client) {
  if (client.is_grpc()) {
    const CallOptions options{.metadata = sent_with("grüße")};
    auto refused = client.channel().stream<std::string, std::string>("interop.Test/Chat", options);
    expect_refused(refused.write("m"));
    expect_refused(refused.finish());
  }
  auto stream = client.channel().stream<std::string, std::string>("interop.Test/Chat", {.metadata = sent(client)});
  expect_ok(stream.write("m"));
  expect_message(stream.read());
  const Metadata leading = stream.leading();
  expect(stream.trailing().empty(), "trailing metadata before the end");
  expect_ok(stream.close_writes());
  expect_message(stream.read());
  expect_ok(stream.finish());
  expect_echoed(client, leading, stream.trailing());
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
