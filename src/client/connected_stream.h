// SPDX-License-Identifier: MIT
// ConnectedStream: a streaming call as the connection that serves it sees it.
#pragma once

#include "call/stream_core.h"

#include <string>

namespace trunkline::client {

/// Loop's thread, except where StreamCore says otherwise.
class ConnectedStream : public call::StreamCore {
 public:
  using StreamCore::StreamCore;
  /// The session's last event of the call. `peer` is the address of the server.
  virtual void on_finished(session::Event& event, const std::string& peer) = 0;
};

}  // namespace trunkline::client
