// SPDX-License-Identifier: MIT
// Endpoint: an address to listen on or to connect to, parsed from a URI.
#pragma once

#include <trunkline/detail/export.h>
#include <trunkline/result.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline {

enum class Scheme : std::uint8_t { tcp, tls, unix_socket, inproc };

TRUNKLINE_API std::string_view to_string(Scheme scheme) noexcept;

/// The protocol that a channel speaks to an endpoint. Servers know by themselves what a client speaks.
enum class WireProtocol : std::uint8_t { native, grpc, websocket, connect, grpc_web };

/// `tcp://host:port`, `tls://host:port`, `unix:///path`, `unix:@name` (Linux abstract socket), `inproc://name`. A host
/// is a name, an IPv4 address, or an IPv6 address in brackets (RFC 3986). Ports are 0 to 65535; port 0 lets the system
/// choose when listening. Paths have at most 107 bytes, abstract and inproc names 1 to 107.
///
/// A channel calls gRPC servers at `grpc://host:port` (tcp), `grpcs://host:port` (tls), `grpc+unix:///path`,
/// `grpc+unix:@name` and `grpc+inproc://name`, and servers of Trunkline over WebSocket at `ws://host:port` (tcp),
/// `wss://host:port` (tls), `ws+unix:///path`, `ws+unix:@name` and `ws+inproc://name`. It calls Connect servers over
/// HTTP/2 at `http://host:port` (tcp), `https://host:port` (tls), `http+unix:///path`, `http+unix:@name` and
/// `http+inproc://name`, where the port may be left out for 80 or 443, and gRPC-Web servers at `grpc-web://host:port`
/// (tcp), `grpc-webs://host:port` (tls), `grpc-web+unix:///path`, `grpc-web+unix:@name` and `grpc-web+inproc://name`.
class TRUNKLINE_API Endpoint {
 public:
  Endpoint() = default;
  /// Parses the URI. Error: invalid_argument, quoting the text and saying what is wrong with it.
  static Result<Endpoint> parse(std::string_view uri);

  /// Returns the transport: tcp for grpc://, ws:// and the like, tls for grpcs://, wss:// and the like.
  Scheme scheme() const noexcept { return scheme_; }
  WireProtocol protocol() const noexcept { return protocol_; }
  /// The host of tcp://:PORT and tcp://*:PORT: a server listens on every address of the machine, IPv4 and IPv6.
  static constexpr std::string_view every_address = "*";
  /// Returns the host without brackets for tcp and tls, and an empty text for other schemes.
  const std::string& host() const noexcept { return host_; }
  std::uint16_t port() const noexcept { return port_; }
  /// Returns the path for unix, the name for inproc, and the name without '@' for abstract sockets.
  const std::string& path() const noexcept { return path_; }
  bool is_abstract() const noexcept { return abstract_; }
  /// Returns this endpoint with another port. unix and inproc endpoints have no port and are returned unchanged.
  Endpoint with_port(std::uint16_t port) const;
  /// Returns an endpoint with the same address and another protocol.
  Endpoint with_protocol(WireProtocol protocol) const;
  /// Returns the URI; parse(to_string()) returns an equal endpoint.
  std::string to_string() const;

  bool operator==(const Endpoint&) const = default;

 private:
  Scheme scheme_ = Scheme::tcp;
  WireProtocol protocol_ = WireProtocol::native;
  std::uint16_t port_ = 0;
  bool abstract_ = false;
  std::string host_;
  std::string path_;
};

}  // namespace trunkline
