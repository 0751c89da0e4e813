// SPDX-License-Identifier: MIT
// Connector: makes the transports of a channel's connections.
#pragma once

#include "net/dialer.h"
#include "session/grpc/grpc_protocol.h"
#include "session/native/native_protocol.h"

#include <memory>
#include <string>
#include <utility>

namespace trunkline::client {

/// Loop's thread only.
class Connector {
 public:
  virtual ~Connector() = default;
  /// Makes one connection. `callback` is called as net::dial() says, on the loop, and never inside this function.
  /// Releasing the result cancels the attempt. The result is null if the attempt cannot be cancelled: then `callback`
  /// is called once, maybe after the channel is destroyed, and must do nothing then.
  virtual std::shared_ptr<net::Dial> connect(net::DialCallback callback) = 0;
  /// The protocol that a new connection to `peer` speaks.
  virtual const session::Protocol& protocol(const net::PeerInfo& /*peer*/) const noexcept {
    return session::native::protocol();
  }
  /// An error: the peer cannot be used, for instance because TLS has negotiated another protocol.
  virtual Status check(const net::PeerInfo& /*peer*/) const { return {}; }
  /// For error texts, e.g. "tcp://127.0.0.1:8888".
  virtual const std::string& target() const noexcept = 0;
};

/// Dials an endpoint.
class EndpointConnector : public Connector {
 public:
  EndpointConnector(net::Loop& loop, const Endpoint& endpoint, net::DialOptions options)
      : loop_(loop), endpoint_(endpoint), options_(std::move(options)), target_(endpoint.to_string()) {
    if (options_.tls.alpn.empty()) options_.tls.alpn.emplace_back(spoken().alpn);
    if (options_.tls_cache == nullptr) options_.tls_cache = std::make_shared<net::TlsContextCache>();
    if (options_.order == nullptr) options_.order = std::make_shared<net::AddressOrder>();
  }
  std::shared_ptr<net::Dial> connect(net::DialCallback callback) override {
    return net::dial(loop_, endpoint_, options_, std::move(callback));
  }
  const session::Protocol& protocol(const net::PeerInfo&) const noexcept override { return spoken(); }
  Status check(const net::PeerInfo& peer) const override {
    if (!is_grpc() || !peer.is_encrypted || peer.alpn == session::grpc::protocol().alpn) return {};
    return {StatusCode::unavailable,
            "connect " + target_ + ": the server has not agreed to HTTP/2: ALPN has chosen " +
                (peer.alpn.empty() ? std::string("nothing") : "'" + peer.alpn + "'") + " instead of 'h2'",
            StatusOrigin::transport};
  }
  const std::string& target() const noexcept override { return target_; }

 private:
  bool is_grpc() const noexcept { return endpoint_.protocol() == WireProtocol::grpc; }
  const session::Protocol& spoken() const noexcept {
    return is_grpc() ? session::grpc::protocol() : session::native::protocol();
  }

  net::Loop& loop_;
  const Endpoint endpoint_;
  net::DialOptions options_;
  const std::string target_;
};

}  // namespace trunkline::client
