// SPDX-License-Identifier: MIT
// Client: what a case of the conformance client has at hand; Case and what cases expect.
#pragma once

#include <trunkline/channel.h>
#include <trunkline/value.h>

#include <chrono>
#include <future>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace trunkline::interop {

using namespace std::chrono_literals;

/// The longest that anything may take; nothing is expected to.
inline constexpr std::chrono::seconds patience{20};

/// A case has found something else than it expects.
class Unexpected : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws Unexpected, with the line and `what` was found, unless it holds.
void expect(bool holds, std::string_view what, std::source_location where = std::source_location::current());
void expect_ok(const Status& status, std::source_location where = std::source_location::current());
/// The status has the code, and the two that callers act upon are these.
void expect_error(const Status& status, StatusCode code, bool may_have_run,
                  std::source_location where = std::source_location::current());
template <class T>
T expect_value(Result<T> result, std::source_location where = std::source_location::current()) {
  expect_ok(result.status(), where);
  return *std::move(result);
}
/// What a stream has read; there is a message.
template <class T>
T expect_message(Result<std::optional<T>> read, std::source_location where = std::source_location::current()) {
  expect_ok(read.status(), where);
  expect(read->has_value(), "the stream has ended", where);
  return std::move(**read);
}

class Client {
 public:
  explicit Client(std::string endpoint);

  const std::string& endpoint() const noexcept { return endpoint_; }
  /// The protocol has what gRPC has, and no more (docs/protocols.md).
  bool is_grpc() const noexcept { return endpoint_.starts_with("grpc"); }
  /// The server's endpoint without the protocol.
  std::string address() const;
  Channel& channel() noexcept { return channel_; }
  /// Of channels with options of their own: the limits and patience of this one's.
  static ChannelOptions options();
  /// Of channels whose calls have no deadline.
  static ChannelOptions options_without_timeout();

  /// A name for events that no other call has.
  std::string fresh_name();
  /// Waits until the server has told the event.
  Value wait_for(const std::string& event);
  void tell(const std::string& event, Value value = {});

 private:
  std::string endpoint_;
  Channel channel_;
  int names_ = 0;
};

struct Case {
  std::string_view name;
  void (*run)(Client& client);
  bool ends_server = false;
};

std::span<const Case> unary_cases();
std::span<const Case> status_cases();
std::span<const Case> stream_cases();
std::span<const Case> metadata_cases();
std::span<const Case> many_cases();
std::span<const Case> deadline_cases();
std::span<const Case> cancel_cases();
std::span<const Case> ending_cases();

}  // namespace trunkline::interop
