// SPDX-License-Identifier: MIT
// ProxyHeader: the header of the PROXY protocol, versions 1 and 2, by which a proxy names the client of a connection.
#pragma once

#include <trunkline/result.h>
#include <trunkline/slice.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace trunkline::net {

/// One end of the connection that the proxy has accepted.
struct ProxiedAddress {
  enum class Family : std::uint8_t { ip, unix_path };
  Family family = Family::ip;
  /// An IPv4 or IPv6 address, or the path; empty if a unix socket has no name.
  std::string host;
  std::uint16_t port = 0;
};

/// The header, as https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt describes it.
struct ProxyHeader {
  /// The longest line of version 1, with its end.
  static constexpr std::size_t max_line_bytes = 107;
  /// The longest header of version 2 that is read: addresses, and fields that are skipped.
  static constexpr std::size_t max_binary_bytes = 4096;

  /// True if the connection is the proxy's own, such as its health checks (LOCAL), or the proxy does not know the
  /// client (UNKNOWN, UNSPEC): the addresses of the socket hold.
  bool is_local = false;
  ProxiedAddress source{};
  ProxiedAddress destination{};
  /// The size of the header in bytes; 0: `first_bytes` are its beginning, and more is needed.
  std::size_t size = 0;

  /// Reads the header from the first bytes of a connection. Error: invalid_argument if they are none.
  static Result<ProxyHeader> read(ByteSpan first_bytes);
  /// Returns true if `first_bytes` begin as a header does, in either version.
  static bool is_likely(ByteSpan first_bytes) noexcept;
};

}  // namespace trunkline::net
