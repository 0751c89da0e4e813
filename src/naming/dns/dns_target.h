// SPDX-License-Identifier: MIT
// DnsTarget: the parts of a URI such as dns:///orders.example.com:4000.
#pragma once

#include "base/clock.h"

#include <trunkline/target.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::naming::dns {

struct DnsTarget {
  /// Reads the URI. Error: invalid_argument, naming the part of the URI that is wrong.
  static Result<DnsTarget> parse(const Target& target);

  /// The address of the name server, as ADDRESS:PORT; empty: those of the system.
  std::string name_server{};
  /// The name or address of the host, without brackets.
  std::string host{};
  /// The port of the servers; 0: SRV records say it.
  std::uint16_t port = 0;
  /// True if SRV records are asked for first.
  bool uses_srv = false;
  /// True if a TXT record at `_grpc_config.` and domain() is looked up, too. It is false for an address.
  bool uses_service_config = false;
  /// The shortest time between two lookups for which refresh() asks.
  base::Duration min_refresh = std::chrono::seconds(30);

  bool is_numeric() const noexcept;
  /// Returns the host without the leading labels of a service, such as `_orders._tcp`.
  std::string_view domain() const noexcept;
  /// Returns the name by which TLS and gRPC know the servers: the domain, without the dot at its end, and the port. It
  /// is empty for an address.
  std::string host_name(std::uint16_t server_port) const;
};

}  // namespace trunkline::naming::dns
