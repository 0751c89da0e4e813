// SPDX-License-Identifier: MIT
// DialAttempt: a connection to one address that is being made, TLS handshake included.
#pragma once

#include "net/socket_address.h"
#include "net/socket_watcher.h"
#include "net/tls_context_factory.h"
#include "net/tls_handshake.h"
#include "net/transport.h"

#include <trunkline/endpoint.h>
#include <trunkline/transport_options.h>

#include <functional>
#include <memory>
#include <string>

namespace trunkline::net {

/// An attempt on the loop's thread. Its destruction gives the attempt up.
class DialAttempt final : private TransportObserver {
 public:
  /// Called once, on the loop, not from inside start(), and not after an error of start(). The attempt may be destroyed
  /// in it.
  using Callback = std::function<void(DialAttempt& attempt, Result<std::unique_ptr<Transport>> result)>;

  /// `endpoint` and `options` must outlive the attempt. Errors begin with `tried`. `tls` is used if the scheme is tls.
  DialAttempt(Loop& loop, const Endpoint& endpoint, const TransportOptions& options,
              std::shared_ptr<const TlsContext> tls, const SocketAddress& address, std::string tried,
              Callback callback);

  Status start();
  const SocketAddress& address() const noexcept { return address_; }

 private:
  void on_readable() override {}
  void on_writable() override;
  bool is_connected_to_itself() const;
  void connected();
  void finish(Result<std::unique_ptr<Transport>> result);

  Loop& loop_;
  const Endpoint& endpoint_;
  const TransportOptions& options_;
  const std::shared_ptr<const TlsContext> tls_;
  const SocketAddress address_;
  const std::string tried_;
  Callback callback_;
  SocketWatcher::Pointer watcher_;
  std::unique_ptr<TlsHandshake> handshake_;
};

}  // namespace trunkline::net
