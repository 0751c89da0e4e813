// SPDX-License-Identifier: MIT
// ConnectedStream: a streaming call as the connection that serves it sees it.
#pragma once

#include "base/clock.h"
#include "call/stream_core.h"
#include "client/method_table.h"

#include <string>

namespace trunkline::client {

/// Loop's thread, except where StreamCore says otherwise.
class ConnectedStream : public call::StreamCore {
 public:
  using StreamCore::StreamCore;
  /// The session's last event of the call. `peer` is the address of the server.
  virtual void on_finished(session::Event& event, const std::string& peer) = 0;

  /// For the connection that serves the call: its method, and since when it serves it.
  const MethodEntry* served_method = nullptr;
  base::TimePoint served_since{};
  /// A circuit breaker has counted it already, as a probe that was served.
  bool is_counted_probe = false;
};

}  // namespace trunkline::client
