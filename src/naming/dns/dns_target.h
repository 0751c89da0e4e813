// SPDX-License-Identifier: MIT
// DnsTarget: what a URI such as dns:///orders.example.com:4000 asks for.
#pragma once

#include "base/clock.h"

#include <trunkline/target.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::naming::dns {

struct DnsTarget {
  /// Error: invalid_argument, naming the part of the URI that is wrong.
  static Result<DnsTarget> parse(const Target& target);

  /// Of the name server, as ADDRESS:PORT; empty: those of the system.
  std::string name_server{};
  /// A name or an address, without brackets.
  std::string host{};
  /// Of the servers; 0: SRV records say it.
  std::uint16_t port = 0;
  /// SRV records are asked for first.
  bool uses_srv = false;
  /// A TXT record at `_grpc_config.` and domain() is asked for too. Never for an address.
  bool uses_service_config = false;
  /// The shortest time between two lookups that refresh() asks for.
  base::Duration min_refresh = std::chrono::seconds(30);

  bool is_numeric() const noexcept;
  /// The host without the leading labels of a service, such as `_orders._tcp`.
  std::string_view domain() const noexcept;
  /// By which TLS and gRPC know the servers: the domain, without the dot at its end, and the port. Empty for an
  /// address.
  std::string host_name(std::uint16_t server_port) const;
};

}  // namespace trunkline::naming::dns
