// SPDX-License-Identifier: MIT
// ServerEntry: what the value of a key says about a server.
#pragma once

#include <trunkline/resolver.h>

#include <string>
#include <string_view>

namespace trunkline::naming::etcd {

/// An object of JSON with the members of read_server(), and if wanted `service_config`, an object. Or gRPC's format for
/// etcd: `{"Op": 0, "Addr": "HOST:PORT", "Metadata": ...}`. Both may be in one object: then `uri` or `address` counts.
struct ServerEntry {
  /// `server_scheme`: how a bare address is called. Error: invalid_argument, with what is wrong.
  static Result<ServerEntry> read(std::string_view value, std::string_view server_scheme);
  /// Both formats in one object; gRPC's only for an endpoint with a host.
  static std::string write(const ResolvedServer& server);

  ResolvedServer server{};
  /// JSON; empty: there is none.
  std::string service_config{};
};

}  // namespace trunkline::naming::etcd
