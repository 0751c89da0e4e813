// SPDX-License-Identifier: MIT
// Reads the services of a FileDescriptorProto.
#include "codegen/definition.h"

#include "codegen/generation_error.h"

#include <map>
#include <set>
#include <utility>

namespace trunkline::codegen {

namespace {

using google::protobuf::FileDescriptorProto;
using google::protobuf::MethodDescriptorProto;
using google::protobuf::MethodOptions;
using google::protobuf::ServiceDescriptorProto;

/// The comments by their path in the descriptor.
using Comments = std::map<std::vector<int>, Comment>;

Comments comments_of(const FileDescriptorProto& file) {
  Comments comments;
  for (const auto& location : file.source_code_info().location()) {
    const std::vector<int> path(location.path().begin(), location.path().end());
    if (!path.empty() && path.front() == FileDescriptorProto::kServiceFieldNumber) {
      comments.emplace(path, comment_of(location));
    }
  }
  return comments;
}

Comment find_comment(const Comments& comments, const std::vector<int>& path) {
  const auto found = comments.find(path);
  return found == comments.end() ? Comment() : found->second;
}

MethodKind kind_of(const MethodDescriptorProto& method) {
  if (method.client_streaming()) {
    return method.server_streaming() ? MethodKind::bidirectional : MethodKind::client_stream;
  }
  return method.server_streaming() ? MethodKind::server_stream : MethodKind::unary;
}

class DefinitionReader {
 public:
  DefinitionReader(const FileDescriptorProto& file, const TypeIndex& types)
      : file_(file), types_(types), comments_(comments_of(file)) {}

  FileDefinition read() const {
    FileDefinition definition{file_.name(), file_.package(), {}};
    std::set<std::string> names;
    for (int i = 0; i < file_.service_size(); ++i) {
      if (!names.insert(file_.service(i).name()).second) {
        throw GenerationError(file_.name() + ": service " + file_.service(i).name() + " is defined twice");
      }
      definition.services.push_back(read_service(i));
    }
    return definition;
  }

 private:
  ServiceDefinition read_service(int index) const {
    const ServiceDescriptorProto& service = file_.service(index);
    ServiceDefinition definition;
    definition.name = service.name();
    definition.full_name = (file_.package().empty() ? "" : file_.package() + ".") + service.name();
    definition.is_deprecated = service.options().deprecated() || file_.options().deprecated();
    definition.comment = find_comment(comments_, {FileDescriptorProto::kServiceFieldNumber, index});
    std::set<std::string> names;
    for (int i = 0; i < service.method_size(); ++i) {
      MethodDefinition method = read_method(service.method(i), definition.full_name);
      if (!names.insert(method.name).second) {
        throw GenerationError(where(method.path) + "it is defined twice");
      }
      method.comment = find_comment(
          comments_, {FileDescriptorProto::kServiceFieldNumber, index, ServiceDescriptorProto::kMethodFieldNumber, i});
      definition.methods.push_back(std::move(method));
    }
    return definition;
  }

  MethodDefinition read_method(const MethodDescriptorProto& method, const std::string& service) const {
    MethodDefinition definition;
    definition.name = method.name();
    definition.path = service + "/" + method.name();
    definition.kind = kind_of(method);
    definition.request = find_type(method.input_type(), definition.path);
    definition.response = find_type(method.output_type(), definition.path);
    definition.is_idempotent = method.options().idempotency_level() != MethodOptions::IDEMPOTENCY_UNKNOWN;
    definition.has_no_side_effects = method.options().idempotency_level() == MethodOptions::NO_SIDE_EFFECTS;
    definition.is_deprecated = method.options().deprecated();
    return definition;
  }

  const MessageLocation* find_type(const std::string& reference, const std::string& path) const {
    const MessageLocation* type = types_.find(reference);
    if (type == nullptr) {
      throw GenerationError(where(path) + "no file of the request defines its message '" + reference + "'");
    }
    return type;
  }

  std::string where(const std::string& path) const { return file_.name() + ": method " + path + ": "; }

  const FileDescriptorProto& file_;
  const TypeIndex& types_;
  const Comments comments_;
};

}  // namespace

const char* name_of(MethodKind kind) {
  switch (kind) {
    case MethodKind::unary:
      return "unary";
    case MethodKind::client_stream:
      return "client_stream";
    case MethodKind::server_stream:
      return "server_stream";
    case MethodKind::bidirectional:
      break;
  }
  return "bidirectional";
}

const char* client_class_of(MethodKind kind) {
  switch (kind) {
    case MethodKind::unary:
      return "UnaryMethod";
    case MethodKind::client_stream:
      return "ClientStreamMethod";
    case MethodKind::server_stream:
      return "ServerStreamMethod";
    case MethodKind::bidirectional:
      break;
  }
  return "BidirectionalMethod";
}

bool has_single_request(MethodKind kind) { return kind == MethodKind::unary || kind == MethodKind::server_stream; }

FileDefinition read_definition(const FileDescriptorProto& file, const TypeIndex& types) {
  return DefinitionReader(file, types).read();
}

}  // namespace trunkline::codegen
