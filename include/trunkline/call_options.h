// SPDX-License-Identifier: MIT
// CallOptions: the settings of one call. ResponseInfo: what the caller learns besides the response.
#pragma once

#include <trunkline/metadata.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline {

class ServerContext;

/// Filled in when the call ends, whether it succeeds or fails. Must outlive the call.
struct ResponseInfo {
  /// Metadata that the server sent before the first message of a stream, or with the response of a unary call.
  Metadata leading;
  /// Metadata that the server sent with the status.
  Metadata trailing;
  /// The endpoint of the server, e.g. "tcp://127.0.0.1:8888"; empty if the call never reached a connection.
  std::string peer;
};

/// The settings of one call.
struct CallOptions {
  /// The time that the call may take, from now on. Zero or less fails at once with deadline_exceeded. Unset:
  /// ChannelOptions::default_timeout, or the time left of the server call whose handler makes this call (see `parent`),
  /// or no limit.
  std::optional<std::chrono::nanoseconds> timeout{};
  /// The point in time by which the call must end. If `timeout` is set too, the earlier one applies.
  std::optional<std::chrono::steady_clock::time_point> deadline{};
  Metadata metadata{};
  /// What happens while there is no connection. True: the call waits for one until its deadline. False: the call fails
  /// with unavailable as soon as an attempt to connect has failed.
  bool wait_for_ready = false;
  /// The call may run more than once without harm, so it may be retried after its connection was lost.
  bool idempotent = false;
  /// Name of the codec. Empty: the default codec of the message type.
  std::string_view codec{};
  /// Name of the compressor for the request; "identity": no compression. Empty: ChannelOptions::compressor.
  std::string_view compressor{};
  /// For channels to several servers with BalancingPolicy::consistent_hash: calls of one key go to one server.
  std::string_view routing_key{};
  /// Filled in when the call ends; null: not wanted.
  ResponseInfo* response_info = nullptr;
  /// The server call whose handler makes this call: this call takes over its deadline unless it has one of its own.
  /// Plain and blocking handlers need not set it; coroutines must, to inherit the deadline.
  const ServerContext* parent = nullptr;
};

}  // namespace trunkline
