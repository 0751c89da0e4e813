// SPDX-License-Identifier: MIT
// Dial: a connection to an endpoint that is being made.
#pragma once

#include "net/address_order.h"
#include "net/loop.h"
#include "net/socket_address.h"
#include "net/tls_context_factory.h"
#include "net/transport.h"

#include <trunkline/endpoint.h>
#include <trunkline/result.h>
#include <trunkline/tls.h>
#include <trunkline/transport_options.h>

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace trunkline::net {

/// Keeps the contents of the files that TlsOptions name from one dial to the next. It is used on one loop.
struct TlsContextCache {
  std::shared_ptr<const TlsContext> context;
};

struct DialOptions {
  TransportOptions transport{};
  TlsOptions tls{};
  /// The time for all steps together: resolving the name, connecting to its addresses, the TLS handshake.
  std::chrono::milliseconds connect_timeout{20000};
  /// The cache that the first dial which needs it fills. Null: the files are read each time.
  std::shared_ptr<TlsContextCache> tls_cache{};
  /// The addresses to try. If there are any, the host name is not resolved.
  std::vector<SocketAddress> addresses{};
  /// The time that an address may take to connect before the next one is tried beside it (RFC 8305, section 5).
  std::chrono::milliseconds attempt_delay{250};
  /// The order that is kept from one dial to the next. Null: dials know nothing of each other.
  std::shared_ptr<AddressOrder> order{};
};

using DialCallback = std::function<void(Result<std::unique_ptr<Transport>>)>;

/// cancel() and the release of the last pointer abandon the connection: the callback is not called then.
class Dial {
 public:
  virtual ~Dial() = default;
  virtual void cancel() = 0;
  /// Returns true if the callback will be called again. It is to be asked in the callback.
  virtual bool has_more() const noexcept = 0;
  /// Tries the next address now, without waiting for the attempt delay, since a transport has proved useless.
  virtual void hurry() = 0;
};

/// Races the addresses of the endpoint (RFC 8305). The next address is tried beside those before it once the attempt
/// delay is over, unless the dial has been cancelled or released by then, and at once if an address fails. Families
/// take turns.
///
/// Calls `callback` on the loop, and not from inside this function: with a transport for each address that connects,
/// and with an error once nothing more can come of the dial. After a transport, has_more() tells whether another call
/// follows. Host names are resolved on Asio's resolver thread, the only thread that the library starts without being
/// asked to. Errors name the endpoint and the reason; their origin is transport, and may_have_run() is false.
std::shared_ptr<Dial> dial(Loop& loop, const Endpoint& endpoint, const DialOptions& options, DialCallback callback);

}  // namespace trunkline::net
