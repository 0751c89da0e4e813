// SPDX-License-Identifier: MIT
// Definitions of services as the generators of both languages read them.
#pragma once

#include "codegen/comment.h"
#include "codegen/type_index.h"

#include <google/protobuf/descriptor.pb.h>

#include <string>
#include <vector>

namespace trunkline::codegen {

enum class MethodKind { unary, client_stream, server_stream, bidirectional };

/// The names that the runtime has for them in both languages: "unary", "client_stream", ...
const char* name_of(MethodKind kind);

/// The class of a typed client's method: "UnaryMethod", "ClientStreamMethod", ...
const char* client_class_of(MethodKind kind);

/// True if there is one request, not a stream of them.
bool has_single_request(MethodKind kind);

struct MethodDefinition {
  std::string name;  ///< SayHello
  std::string path;  ///< a.b.Hello/SayHello
  MethodKind kind = MethodKind::unary;
  const MessageType* request = nullptr;  ///< of the index the definition was read with
  const MessageType* response = nullptr;
  bool is_idempotent = false;
  bool is_deprecated = false;
  Comment comment;
};

struct ServiceDefinition {
  std::string name;       ///< Hello
  std::string full_name;  ///< a.b.Hello
  bool is_deprecated = false;
  Comment comment;
  std::vector<MethodDefinition> methods;
};

struct FileDefinition {
  std::string name;  ///< a/b/hello.proto
  std::string package;
  std::vector<ServiceDefinition> services;
};

/// Throws GenerationError, with the names of file and service, for a service or method that is there twice, and for a
/// method of a type that no file in `types` defines. `types` must outlive the result.
FileDefinition read_definition(const google::protobuf::FileDescriptorProto& file, const TypeIndex& types);

}  // namespace trunkline::codegen
