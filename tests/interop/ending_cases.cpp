// SPDX-License-Identifier: MIT
// The server ends while calls are open: gracefully, or by a crash.
#include "client.h"

#include <array>
#include <csignal>

namespace trunkline::interop {

namespace {

void drain(Client& client) {
  const std::string name = client.fresh_name();
  auto stream = client.channel().stream<std::string, std::string>("interop.Test/Chat");
  expect_ok(stream.write("before"));
  expect_message(stream.read());
  auto held = client.channel().submit<Value>("interop.Test/Hold", Value(name));
  client.wait_for(name + " begun");

  expect_value(client.channel().call<Empty>("interop.Test/Signal", Value(SIGTERM)));

  // The server accepts calls until its shutdown has begun, and then refuses them.
  Status status;
  while (status) status = client.channel().call<Empty>("interop.Test/Nothing", Empty()).status();
  expect_error(status, StatusCode::unavailable, false);
  // Open calls go on to their end.
  expect_ok(stream.write("tell " + name));
  expect(expect_message(stream.read()) == "tell " + name, "another message");
  expect(expect_value(held.get()).is_null(), "another response");
  expect_ok(stream.close_writes());
  expect(expect_message(stream.read()) == "goodbye", "no goodbye");
  expect_ok(stream.finish());
}

/// Whether a call may have run although there is no server.
bool may_run(Client& client) {
  const Status status = client.channel().call<Empty>("interop.Test/Nothing", Empty()).status();
  expect(status.code() == StatusCode::unavailable, "expected unavailable, got " + status.to_string());
  expect(status.origin() == StatusOrigin::transport, "its origin is not the transport: " + status.to_string());
  return status.may_have_run();
}

void killed_server(Client& client) {
  const std::string unary = client.fresh_name();
  const std::string streaming = client.fresh_name();
  auto hanging = client.channel().submit<Empty>("interop.Test/Hang", Value(unary));
  auto stream =
      client.channel().stream<std::string, std::string>("interop.Test/HangStream", {.metadata = {{"name", streaming}}});
  client.wait_for(unary + " begun");
  client.wait_for(streaming + " begun");

  const Status killing = client.channel().call<Empty>("interop.Test/Signal", Value(SIGKILL)).status();

  for (const Status& status : {killing, hanging.get().status(), stream.read().status(), stream.finish()}) {
    expect_error(status, StatusCode::unavailable, true);
    expect(status.origin() == StatusOrigin::transport, "its origin is not the transport: " + status.to_string());
  }
  // While the system cleans up, it may still accept a connection.
  while (may_run(client)) continue;
}

constexpr std::array cases{
    Case{"drain", &drain, true},
    Case{"killed_server", &killed_server, true},
};

}  // namespace

std::span<const Case> ending_cases() { return cases; }

}  // namespace trunkline::interop
