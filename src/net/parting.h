// SPDX-License-Identifier: MIT
// Parting: the end of a connection that is not to be served - a last answer, and time for the peer to read it.
#pragma once

#include "net/listener.h"
#include "net/loop.h"
#include "net/transport.h"

#include <chrono>
#include <memory>
#include <string_view>

namespace trunkline::net {

/// Writes the answer, shuts down sending, and takes no notice of what the peer still sends until it closes, or until
/// the timeout: a socket that is closed with input unread resets the connection, and the peer would lose the answer.
/// Resident of the transport's loop.
class Parting final : public Resident, private TransportObserver {
 public:
  static constexpr std::chrono::milliseconds default_timeout{1000};

  /// `answer` stays where it is. `place` is held until the end.
  static void begin(std::unique_ptr<Transport> transport, std::string_view answer, Place place,
                    std::chrono::milliseconds timeout = default_timeout);
  ~Parting() override;

 private:
  Parting(std::unique_ptr<Transport> transport, std::string_view answer, Place place);

  void on_readable() override;
  void on_writable() override { write_rest(); }
  void write_rest();
  void end();

  const std::unique_ptr<Transport> transport_;
  std::string_view answer_;  ///< not written yet
  const Place place_;
  bool is_peer_done_ = false;
  base::Timer timeout_;
};

}  // namespace trunkline::net
