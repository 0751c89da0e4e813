// SPDX-License-Identifier: MIT
// CallOptions: what a caller may say about one call; ReplyInfo: what it may learn beside the response.
#pragma once

#include <trunkline/metadata.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline {

class ServerContext;

/// Filled in when the call ends, also when it fails. Must outlive the call.
struct ReplyInfo {
  Metadata leading;   ///< sent before the first message (streams) or with the response
  Metadata trailing;  ///< sent with the status
  std::string peer;   ///< who answered, e.g. "tcp://127.0.0.1:8888"; empty if the call never reached a connection
};

struct CallOptions {
  /// From now; negative or zero fails at once with deadline_exceeded. Unset: ChannelOptions::default_timeout, or the
  /// time left of the server call in whose handler this call is made (see `parent`), or none.
  std::optional<std::chrono::nanoseconds> timeout{};
  /// A point in time instead; the earlier one counts if both are set.
  std::optional<std::chrono::steady_clock::time_point> deadline{};
  Metadata metadata{};
  /// While there is no connection: wait for one until the deadline (true), or fail with unavailable as soon as an
  /// attempt to connect has failed (false).
  bool wait_for_ready = false;
  /// The call may run more than once without harm: it may be repeated after a connection was lost midway.
  bool idempotent = false;
  /// Name of the codec; empty: the message type's default_codec.
  std::string_view codec{};
  /// Name of the compressor for the request; empty: ChannelOptions::compressor. "identity": none.
  std::string_view compressor{};
  ReplyInfo* reply = nullptr;
  /// The server call in whose handler this one is made, to take over its deadline unless this one has its own. Plain
  /// and blocking handlers need not say so; coroutines do.
  const ServerContext* parent = nullptr;
};

}  // namespace trunkline
