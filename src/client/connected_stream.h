// SPDX-License-Identifier: MIT
// ConnectedStream: a streaming call as the connection that serves it sees it.
#pragma once

#include "base/clock.h"
#include "call/stream_core.h"
#include "client/method_table.h"

#include <string>

namespace trunkline::client {

/// A stream for the loop's thread, except where StreamCore says otherwise.
class ConnectedStream : public call::StreamCore {
 public:
  using StreamCore::StreamCore;
  /// Handles the session's last event of the call. `peer` is the address of the server.
  virtual void on_finished(session::Event& event, const std::string& peer) = 0;

  /// The method, and since when the connection serves the call. Only that connection uses them.
  const MethodEntry* served_method = nullptr;
  base::TimePoint served_since{};
  /// True if a circuit breaker has counted the stream already, as a probe that was served.
  bool is_counted_probe = false;
};

}  // namespace trunkline::client
