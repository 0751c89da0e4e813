// SPDX-License-Identifier: MIT
// ServerEntry: the server that the value of a key describes.
#pragma once

#include <trunkline/resolver.h>

#include <string>
#include <string_view>

namespace trunkline::naming::etcd {

/// A value is an object of JSON with the members of read_server(), and if wanted `service_config`, an object. Or it has
/// gRPC's format: `{"Op": 0, "Addr": "HOST:PORT", "Metadata": ...}`. If one object has both, `uri` or `address` counts.
struct ServerEntry {
  /// Reads a value. `server_scheme` says how a bare address is called. Error: invalid_argument, with what is wrong.
  static Result<ServerEntry> read(std::string_view value, std::string_view server_scheme);
  /// Writes both formats in one object, gRPC's only for an endpoint with a host.
  static std::string write(const ResolvedServer& server);

  ResolvedServer server{};
  /// The service config as JSON; empty: there is none.
  std::string service_config{};
};

}  // namespace trunkline::naming::etcd
