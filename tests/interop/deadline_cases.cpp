// SPDX-License-Identifier: MIT
// Deadlines: sent to the server, enforced by both sides, inherited by calls that handlers make.
#include "client.h"

#include <array>

namespace trunkline::interop {

namespace {

/// Whether the server reports the event in time.
bool is_reported(Client& client, const std::string& event, std::chrono::milliseconds time) {
  const auto reported = client.channel().call<Value>("interop.Test/Wait", Value(event), {.timeout = time});
  if (!reported) expect(reported.status().code() == StatusCode::deadline_exceeded, reported.status().to_string());
  return reported.is_ok();
}

void expect_left(const Value& left, double timeout) {
  expect(left.is_number() && left.as_double() >= 0 && left.as_double() <= timeout, "other than the time left");
}

/// Calls with a timeout that is usually long enough for the handler to begin; tries again if it was not.
template <class Call>
void exceed_deadline(Client& client, const Call& call) {
  for (const std::chrono::milliseconds timeout : {200ms, 2000ms, 20000ms}) {
    const std::string name = client.fresh_name();
    expect_error(call(name, timeout), StatusCode::deadline_exceeded, true);
    if (!is_reported(client, name + " begun", timeout / 2)) continue;
    expect_left(client.wait_for(name + " begun"), std::chrono::duration<double>(timeout).count());
    client.wait_for(name + " cancelled");
    return;
  }
  expect(false, "the handler has never begun");
}

void deadline_of_unary(Client& client) {
  exceed_deadline(client, [&](const std::string& name, std::chrono::milliseconds timeout) {
    return client.channel().call<Empty>("interop.Test/Hang", Value(name), {.timeout = timeout}).status();
  });
}

void deadline_of_stream(Client& client) {
  exceed_deadline(client, [&](const std::string& name, std::chrono::milliseconds timeout) {
    auto stream = client.channel().stream<std::string, std::string>("interop.Test/HangStream",
                                                                    {.timeout = timeout, .metadata = {{"name", name}}});
    Status status = stream.read().status();
    expect(stream.finish() == status, "it ends in two ways");
    return status;
  });
}

void deadline_that_has_passed(Client& client) {
  const auto response = client.channel().call<Empty>("interop.Test/Nothing", Empty(), {.timeout = 0ns});
  expect_error(response.status(), StatusCode::deadline_exceeded, false);
  expect(response.status().origin() == StatusOrigin::local, "its origin is not local");
}

void time_left(Client& client) {
  const auto response = client.channel().call<Value>("interop.Test/TimeLeft", Empty(), {.timeout = 100s});
  const Value left = expect_value(response);
  expect_left(left, 100);
  expect(left.as_double() > 10, "less than a tenth of it");
  Channel patient(client.endpoint(), Client::options_without_timeout());
  expect(expect_value(patient.call<Value>("interop.Test/TimeLeft", Empty())).is_null(), "time left without a deadline");
}

void deadline_of_nested_call(Client& client) {
  const Value endpoint(client.endpoint());
  const auto response = client.channel().call<Value>("interop.Test/Nested", endpoint, {.timeout = 100s});
  const Value left = expect_value(response);
  expect_left(left.at(0), 100);
  expect_left(left.at(1), left.at(0).as_double());
  expect(left.at(1).as_double() > 10, "less than a tenth of it");
  Channel patient(client.endpoint(), Client::options_without_timeout());
  const Value none = expect_value(patient.call<Value>("interop.Test/Nested", endpoint));
  expect(none == Value::array({nullptr, nullptr}), "time left without a deadline");
}

constexpr std::array cases{
    Case{"deadline_of_unary", &deadline_of_unary},
    Case{"deadline_of_stream", &deadline_of_stream},
    Case{"deadline_that_has_passed", &deadline_that_has_passed},
    Case{"time_left", &time_left},
    Case{"deadline_of_nested_call", &deadline_of_nested_call},
};

}  // namespace

std::span<const Case> deadline_cases() { return cases; }

}  // namespace trunkline::interop
