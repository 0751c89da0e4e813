// SPDX-License-Identifier: MIT
// dial: connects to an endpoint.
#pragma once

#include "net/loop.h"
#include "net/socket_address.h"
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

class TlsContext;

/// Keeps what has been read from the files that TlsOptions name, from one dial to the next. One loop's.
struct TlsContextCache {
  std::shared_ptr<const TlsContext> context;
};

struct DialOptions {
  TransportOptions transport{};
  TlsOptions tls{};
  std::chrono::milliseconds connect_timeout{20000};  ///< over everything: name, all its addresses, TLS handshake
  std::shared_ptr<TlsContextCache>
      tls_cache{};                         ///< filled by the first dial that needs it; null: files are read each time
  std::vector<SocketAddress> addresses{};  ///< if any, taken in place of looking the host up
};

using DialCallback = std::function<void(Result<std::unique_ptr<Transport>>)>;

/// A connection being made. cancel() or letting go of the last pointer gives it up: the callback is not called then.
class Dial {
 public:
  virtual ~Dial() = default;
  virtual void cancel() = 0;
};

/// `callback` is called once, on the loop, never from inside this. Host names are looked up on Asio's own resolver
/// thread (the only thread the library starts unasked, with the first name); addresses are tried in the order the
/// system gives them, each for its share of the time that is left. Errors say the endpoint and the reason; they are of
/// origin transport and have may_have_run() false.
std::shared_ptr<Dial> dial(Loop& loop, const Endpoint& endpoint, const DialOptions& options, DialCallback callback);

}  // namespace trunkline::net
