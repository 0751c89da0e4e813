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

/// The facts that the caller learns besides the response. The channel fills them in when the call ends, failed or not.
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
  /// The time that the call may take, from now on. Zero or less fails at once with deadline_exceeded. If it is unset,
  /// ChannelOptions::default_timeout applies, or the time left of the server call whose handler makes this call (see
  /// `parent`), or no limit.
  std::optional<std::chrono::nanoseconds> timeout{};
  /// The point in time by which the call must end. If `timeout` is set too, the earlier one applies.
  std::optional<std::chrono::steady_clock::time_point> deadline{};
  Metadata metadata{};
  /// Says what happens while there is no connection. True: the call waits for one until its deadline. False: the call
  /// fails with unavailable as soon as an attempt to connect has failed.
  bool wait_for_ready = false;
  /// The call may run more than once without harm, so it may be retried after its connection was lost.
  bool idempotent = false;
  /// The name of the codec. If it is empty, the call uses the default codec of the message type.
  std::string_view codec{};
  /// The compressor of the request; "identity" means no compression, an empty name means ChannelOptions::compressor.
  std::string_view compressor{};
  /// Calls of one key go to one server, in a channel to several servers with BalancingPolicy::consistent_hash.
  std::string_view routing_key{};
  /// The runtime fills this object in when the call ends. It must outlive the call. Null: the caller does not want it.
  ResponseInfo* response_info = nullptr;
  /// The server call whose handler makes this call. This call takes over its deadline unless it has one of its own.
  /// Plain and blocking handlers need not set it; coroutines must, to inherit the deadline.
  const ServerContext* parent = nullptr;
};

}  // namespace trunkline
