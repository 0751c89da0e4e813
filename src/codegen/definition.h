// SPDX-License-Identifier: MIT
// Definitions of services in the form that the generators of both languages read.
#pragma once

#include "codegen/comment.h"
#include "codegen/type_index.h"

#include <google/protobuf/descriptor.pb.h>

#include <string>
#include <vector>

namespace trunkline::codegen {

enum class MethodKind { unary, client_stream, server_stream, bidirectional };

/// Returns the name that the runtime uses in both languages: "unary", "client_stream", ...
const char* name_of(MethodKind kind);

/// Returns the class of the method in a typed client: "UnaryMethod", "ClientStreamMethod", ...
const char* client_class_of(MethodKind kind);

/// Returns true if there is one request and not a stream of them.
bool has_single_request(MethodKind kind);

struct MethodDefinition {
  /// The name of the method, e.g. SayHello.
  std::string name;
  /// The path of the method, e.g. a.b.Hello/SayHello.
  std::string path;
  MethodKind kind = MethodKind::unary;
  /// The type of the request, in the index with which the definition was read.
  const MessageLocation* request = nullptr;
  const MessageLocation* response = nullptr;
  bool is_idempotent = false;
  bool has_no_side_effects = false;
  bool is_deprecated = false;
  Comment comment;
};

struct ServiceDefinition {
  /// The name of the service, e.g. Hello.
  std::string name;
  /// The full name of the service, e.g. a.b.Hello.
  std::string full_name;
  bool is_deprecated = false;
  Comment comment;
  std::vector<MethodDefinition> methods;
};

struct FileDefinition {
  /// The name of the file, e.g. a/b/hello.proto.
  std::string name;
  std::string package;
  std::vector<ServiceDefinition> services;
};

/// Reads a file. Throws GenerationError, with the names of file and service, if a service or method is defined twice,
/// or if no file in `types` defines the type of a method. `types` must outlive the result.
FileDefinition read_definition(const google::protobuf::FileDescriptorProto& file, const TypeIndex& types);

}  // namespace trunkline::codegen
