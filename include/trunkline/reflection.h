// SPDX-License-Identifier: MIT
// Reflection: tells callers what a server offers, in descriptors, as gRPC's reflection protocol does.
#pragma once

#include <trunkline/export.h>

#include <cstddef>

namespace trunkline {

class Server;

struct ReflectionOptions {
  /// Open at once, of each version of the protocol; more are refused with resource_exhausted; 0: no limit.
  std::size_t max_streams = 64;
};

/// Serves grpc.reflection.v1.ServerReflection, and v1alpha for older tools. It tells of all methods that the server has
/// when it is asked: those of a definition by that definition, others by one that is derived from their types, with
/// what a descriptor has no word for in the option trunkline.v1.method. Whatever the process has registered with
/// protobuf can be asked for as well. Server::shutdown() ends its streams with unavailable. Needs a build with
/// protobuf. Throws std::invalid_argument if its methods are registered already.
TRUNKLINE_API void add_reflection(Server& server, const ReflectionOptions& options = {});

}  // namespace trunkline
