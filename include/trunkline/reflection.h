// SPDX-License-Identifier: MIT
// Reflection: tells callers what a server offers, in descriptors, as gRPC's reflection protocol does.
#pragma once

#include <trunkline/export.h>

namespace trunkline {

class Server;

/// Serves grpc.reflection.v1.ServerReflection, and v1alpha for older tools. It tells of all methods that the server has
/// when it is asked: those of a definition by that definition, others by one that is derived from their types, with
/// what a descriptor has no word for in the option trunkline.v1.method. Whatever the process has registered with
/// protobuf can be asked for as well. Needs a build with protobuf. Throws std::invalid_argument if its methods are
/// registered already.
TRUNKLINE_API void add_reflection(Server& server);

}  // namespace trunkline
