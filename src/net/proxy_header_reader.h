// SPDX-License-Identifier: MIT
// ProxyHeaderReader: reads the header that a proxy sends ahead of a client's bytes, and nothing of these.
#pragma once

#include "base/timer_wheel.h"
#include "net/loop_owned.h"
#include "net/pending_connections.h"
#include "net/proxy_header.h"
#include "net/socket_watcher.h"

#include <trunkline/result.h>

#include <functional>
#include <memory>
#include <string>

namespace trunkline::net {

/// A reader, which the loop of the socket owns until it has called back.
class ProxyHeaderReader final : public LoopOwned, private TransportObserver {
 public:
  /// Takes the socket, whose next byte is the client's; or an error, and then the socket is closed: invalid_argument
  /// (no header), unavailable (closed, or not in time).
  using Callback = std::function<void(Result<ProxyHeader>, SocketWatcher::Pointer)>;

  /// Calls `callback` once, on the loop and not from inside this function. Errors begin with `tried`. `pending`, which
  /// may be null, can end it before that.
  static void read(SocketWatcher::Pointer socket, std::string tried, base::TimePoint deadline,
                   std::shared_ptr<PendingConnections> pending, Callback callback);

 private:
  ProxyHeaderReader(SocketWatcher::Pointer socket, std::string tried, std::shared_ptr<PendingConnections> pending,
                    Callback callback);

  void on_readable() override;
  void on_writable() override {}
  void finish(Result<ProxyHeader> result);
  void fail(StatusCode code, std::string_view reason);

  SocketWatcher::Pointer socket_;
  const std::string tried_;
  const Callback callback_;
  /// The part of the header that has been taken from the socket.
  std::string taken_;
  base::Timer timeout_;
  PendingConnections::Place place_;
};

}  // namespace trunkline::net
