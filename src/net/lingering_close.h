// SPDX-License-Identifier: MIT
// LingeringClose: ends a connection that is not served, after a last message that the peer has time to read.
#pragma once

#include "base/timer_wheel.h"
#include "net/connection_permit.h"
#include "net/loop_owned.h"
#include "net/transport.h"

#include <chrono>
#include <memory>
#include <string_view>

namespace trunkline::net {

/// Writes the message, shuts down sending, and discards what the peer sends until the peer closes its side, or until
/// the timeout. A socket that is closed with unread input resets the connection, so that the peer would lose the
/// message. The loop of the transport owns it.
class LingeringClose final : public LoopOwned, private TransportObserver {
 public:
  static constexpr std::chrono::milliseconds default_timeout{1000};

  /// `message` must stay valid until the end. `permit` is held until then.
  static void begin(std::unique_ptr<Transport> transport, std::string_view message, ConnectionPermit permit,
                    std::chrono::milliseconds timeout = default_timeout);
  ~LingeringClose() override;

 private:
  LingeringClose(std::unique_ptr<Transport> transport, std::string_view message, ConnectionPermit permit);

  void on_readable() override;
  void on_writable() override { write_rest(); }
  void write_rest();
  void end();

  const std::unique_ptr<Transport> transport_;
  /// The part of the message that is not written yet.
  std::string_view message_;
  const ConnectionPermit permit_;
  bool has_peer_closed_ = false;
  base::Timer timeout_;
};

}  // namespace trunkline::net
