// SPDX-License-Identifier: MIT
// The channel of the conformance client, and its expectations.
#include "client.h"

#include "certificates.h"
#include "service.h"

#include <unistd.h>

namespace trunkline::interop {

void expect(bool holds, std::string_view what, std::source_location where) {
  if (holds) return;
  const std::string_view path = where.file_name();
  throw Unexpected(std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(where.line()) + ": " +
                   std::string(what));
}

void expect_ok(const Status& status, std::source_location where) {
  expect(status.is_ok(), "expected ok, got " + status.to_string(), where);
}

void expect_error(const Status& status, StatusCode code, bool may_have_run, std::source_location where) {
  expect(status.code() == code, "expected " + std::string(to_string(code)) + ", got " + status.to_string(), where);
  expect(status.may_have_run() == may_have_run,
         std::string("may_have_run is ") + (may_have_run ? "false: " : "true: ") + status.to_string(), where);
}

ChannelOptions Client::options_without_timeout() {
  ChannelOptions options;
  options.limits.max_message_bytes = max_message_bytes;
  options.tls = client_tls();
  return options;
}

ChannelOptions Client::options() {
  ChannelOptions options = options_without_timeout();
  options.default_timeout = patience;
  return options;
}

Client::Client(std::string endpoint) : endpoint_(std::move(endpoint)), channel_(endpoint_, options()) {
  // After a call the client knows which codecs and compressors the server accepts.
  expect_ok(channel_.wait_for_ready(patience));
}

std::string Client::address() const {
  return Endpoint::parse(endpoint_).value().with_protocol(WireProtocol::native).to_string();
}

std::string Client::fresh_name() { return "cpp " + std::to_string(getpid()) + " " + std::to_string(++names_); }

Value Client::wait_for(const std::string& event) {
  return expect_value(channel_.call<Value>("interop.Test/Wait", Value(event)));
}

void Client::tell(const std::string& event, Value value) {
  const Value request = Value::object({{"name", event}, {"value", std::move(value)}});
  expect_ok(channel_.call<Empty>("interop.Test/Tell", request).status());
}

}  // namespace trunkline::interop
