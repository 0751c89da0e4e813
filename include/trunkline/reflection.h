// SPDX-License-Identifier: MIT
// add_reflection: describes a server's methods to callers, by gRPC's reflection protocol.
#pragma once

#include <trunkline/detail/export.h>

#include <cstddef>

namespace trunkline {

class Server;

struct ReflectionOptions {
  /// The number of streams that may be open at once, for each version of the protocol; more are refused with
  /// resource_exhausted. 0: no limit.
  std::size_t max_streams = 64;
};

/// Registers the service grpc.reflection.v1.ServerReflection, and v1alpha for older tools. It describes all methods
/// that the server has at the time of a request. A method with a protobuf definition is described by that; for another
/// method a definition is derived from its types, and the option trunkline.v1.method has what descriptors cannot
/// express. Callers may also request everything that the process has registered with protobuf. Server::shutdown() ends
/// open streams with unavailable. Needs a build with protobuf. Throws std::invalid_argument if the methods are
/// registered already.
TRUNKLINE_API void add_reflection(Server& server, const ReflectionOptions& options = {});

}  // namespace trunkline
