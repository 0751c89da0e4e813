// SPDX-License-Identifier: MIT
// Connector: makes the transports of a channel's connections.
#pragma once

#include "net/dialer.h"
#include "session/grpc/grpc_protocol.h"
#include "session/http1/http1_protocol.h"
#include "session/native/native_protocol.h"
#include "session/websocket/websocket_protocol.h"

#include <trunkline/channel_options.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline::client {

/// A connector, which only the loop's thread uses.
class Connector {
 public:
  virtual ~Connector() = default;
  /// Makes one connection. `callback` is called as net::dial() says, on the loop, and never inside this function.
  /// Releasing the result cancels the attempt. The result is null if the attempt cannot be cancelled: then `callback`
  /// is called once, maybe after the channel is destroyed, and must do nothing then.
  virtual std::shared_ptr<net::Dial> connect(net::DialCallback callback) = 0;
  /// Returns the protocol that a new connection to `peer` speaks.
  virtual const session::Protocol& protocol(const net::PeerInfo& /*peer*/) const noexcept {
    return session::native::protocol();
  }
  /// Learns that the server has answered in HTTP/1.1, and has run nothing. True: the next connection speaks that.
  virtual bool learn_http1() { return false; }
  /// Returns an error if the peer cannot be used, for instance because TLS has negotiated another protocol.
  virtual Status check(const net::PeerInfo& /*peer*/) const { return {}; }
  /// Returns the target for error texts, e.g. "tcp://127.0.0.1:8888".
  virtual const std::string& target() const noexcept = 0;
  /// Returns the server as ServerState shows it.
  virtual Endpoint endpoint() const { return Endpoint::parse(target()).value_or(Endpoint()); }
};

/// Dials an endpoint. For an endpoint of Connect or gRPC-Web it remembers the version of HTTP that the server speaks
/// without TLS.
class EndpointConnector : public Connector {
 public:
  EndpointConnector(net::Loop& loop, const Endpoint& endpoint, net::DialOptions options,
                    HttpVersion http_version = HttpVersion::automatic)
      : loop_(loop),
        endpoint_(endpoint),
        options_(std::move(options)),
        http_version_(http_version),
        target_(endpoint.to_string()) {
    if (options_.tls.alpn.empty()) options_.tls.alpn = offered();
    if (options_.tls_cache == nullptr) options_.tls_cache = std::make_shared<net::TlsContextCache>();
    if (options_.order == nullptr) options_.order = std::make_shared<net::AddressOrder>();
  }
  std::shared_ptr<net::Dial> connect(net::DialCallback callback) override {
    return net::dial(loop_, endpoint_, options_, std::move(callback));
  }
  const session::Protocol& protocol(const net::PeerInfo& peer) const noexcept override {
    return is_web() && speaks_http1(peer) ? over_http1() : spoken();
  }
  bool learn_http1() override {
    return is_web() && http_version_ == HttpVersion::automatic && !std::exchange(knows_http1_, true);
  }
  Status check(const net::PeerInfo& peer) const override {
    if (!is_over_http() || !peer.is_encrypted || takes(peer.alpn)) return {};
    const bool is_http1 = is_web() && http_version_ == HttpVersion::http1;
    return {StatusCode::unavailable,
            "connect " + target_ + ": the server has not agreed to HTTP/" + (is_http1 ? "1.1" : "2") +
                ": ALPN has chosen " + (peer.alpn.empty() ? std::string("nothing") : "'" + peer.alpn + "'") +
                " instead of '" + (is_http1 ? "http/1.1" : "h2") + "'",
            StatusOrigin::transport};
  }
  const std::string& target() const noexcept override { return target_; }
  Endpoint endpoint() const override { return endpoint_; }

 private:
  static constexpr std::string_view http2_name = "h2";
  static constexpr std::string_view http1_name = "http/1.1";

  bool is_over_http() const noexcept { return spoken().alpn == http2_name; }
  /// Returns true if the protocol is spoken over any version of HTTP.
  bool is_web() const noexcept {
    return endpoint_.protocol() == WireProtocol::connect || endpoint_.protocol() == WireProtocol::grpc_web;
  }
  std::vector<std::string> offered() const {
    if (!is_web() || http_version_ == HttpVersion::http2) return {std::string(spoken().alpn)};
    if (http_version_ == HttpVersion::http1) return {std::string(http1_name)};
    return {std::string(http2_name), std::string(http1_name)};
  }
  /// Returns true if the protocol that ALPN has chosen is spoken. A server without ALPN speaks HTTP/1.1.
  bool takes(std::string_view alpn) const noexcept {
    if (!is_web() || http_version_ == HttpVersion::http2) return alpn == http2_name;
    if (alpn.empty() || alpn == http1_name) return true;
    return alpn == http2_name && http_version_ == HttpVersion::automatic;
  }
  bool speaks_http1(const net::PeerInfo& peer) const noexcept {
    if (http_version_ != HttpVersion::automatic) return http_version_ == HttpVersion::http1;
    return peer.is_encrypted ? peer.alpn != http2_name : knows_http1_;
  }
  const session::Protocol& over_http1() const noexcept {
    return endpoint_.protocol() == WireProtocol::connect ? session::http1::connect_protocol()
                                                         : session::http1::grpc_web_protocol();
  }
  const session::Protocol& spoken() const noexcept {
    switch (endpoint_.protocol()) {
      case WireProtocol::grpc:
        return session::grpc::protocol();
      case WireProtocol::connect:
        return session::grpc::connect_protocol();
      case WireProtocol::grpc_web:
        return session::grpc::grpc_web_protocol();
      case WireProtocol::websocket:
        return session::websocket::protocol();
      case WireProtocol::native:
        break;
    }
    return session::native::protocol();
  }

  net::Loop& loop_;
  const Endpoint endpoint_;
  net::DialOptions options_;
  const HttpVersion http_version_;
  const std::string target_;
  /// True if the server answers in HTTP/1.1 without TLS.
  bool knows_http1_ = false;
};

}  // namespace trunkline::client
