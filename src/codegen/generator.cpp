// SPDX-License-Identifier: MIT
// Generates the files for each file of the request that declares services.
#include "codegen/generator.h"

#include "codegen/cpp_header.h"
#include "codegen/definition.h"
#include "codegen/generation_error.h"
#include "codegen/plugin_options.h"
#include "codegen/python_imports.h"
#include "codegen/python_module.h"
#include "codegen/python_names.h"
#include "codegen/type_index.h"

#include <google/protobuf/unknown_field_set.h>

#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace trunkline::codegen {

namespace {

using google::protobuf::FileDescriptorProto;
using google::protobuf::compiler::CodeGeneratorRequest;
using google::protobuf::compiler::CodeGeneratorResponse;

// These names are newer than the oldest protobuf whose headers this is compiled with.
constexpr std::uint64_t feature_proto3_optional = 1;
constexpr std::uint64_t feature_supports_editions = 2;
constexpr int minimum_edition_field = 3;
constexpr int maximum_edition_field = 4;
constexpr std::uint64_t edition_proto2 = 998;
constexpr std::uint64_t edition_max = 0x7FFFFFFF;

// Announces the features. Editions change nothing that concerns services.
void announce_features(CodeGeneratorResponse& response) {
  response.set_supported_features(feature_proto3_optional | feature_supports_editions);
  auto& unknown = *response.GetReflection()->MutableUnknownFields(&response);
  unknown.AddVarint(minimum_edition_field, edition_proto2);
  unknown.AddVarint(maximum_edition_field, edition_max);
}

// Returns the release of protoc. Releases are numbered 3.12, ..., 3.21, 4.22, ..., 7.36: the second number identifies
// them. A compiler that does not state its release is assumed to be new.
ProtocRelease release_of(const CodeGeneratorRequest& request) {
  if (request.compiler_version().has_minor()) return request.compiler_version().minor();
  return std::numeric_limits<ProtocRelease>::max();
}

// Refuses packages that are namespaces which a generated header needs, because names in them would clash.
void check_cpp_package(const FileDefinition& file) {
  for (const char* name : {"asio", "google", "std", "trunkline"}) {
    if (file.package != name) continue;
    throw GenerationError(file.name + ": package " + name + " is the namespace of a library that its C++ code needs; " +
                          "put the services into another package, or into one below it");
  }
}

class Generator {
 public:
  explicit Generator(const CodeGeneratorRequest& request)
      : options_(parse_options(request.parameter())), release_(release_of(request)) {
    for (const FileDescriptorProto& file : request.proto_file()) {
      types_.add(file);
      files_.emplace(file.name(), &file);
    }
    if (options_.relative_imports) {
      relative_files_.insert(request.file_to_generate().begin(), request.file_to_generate().end());
    }
  }

  void generate(const std::string& name, CodeGeneratorResponse& response) const {
    const auto found = files_.find(name);
    if (found == files_.end()) throw GenerationError(name + ": the request does not hold this file");
    const FileDefinition file = read_definition(*found->second, types_);
    if (file.services.empty()) return;
    if (options_.cpp) {
      check_cpp_package(file);
      add(response, cpp_header_name(file), cpp_header_text(file, types_, release_));
    }
    if (options_.python) {
      const PythonImports imports(file, relative_files_);
      const std::string module = python_module_of(name, "_trunkline");
      add(response, python_file_of(module, ".py"), python_module_text(file, imports));
      add(response, python_file_of(module, ".pyi"), python_stub_text(file, imports));
    }
  }

 private:
  static void add(CodeGeneratorResponse& response, std::string name, std::string content) {
    CodeGeneratorResponse::File& file = *response.add_file();
    file.set_name(std::move(name));
    file.set_content(std::move(content));
  }

  const PluginOptions options_;
  const ProtocRelease release_;
  TypeIndex types_;
  std::map<std::string, const FileDescriptorProto*> files_;
  std::set<std::string> relative_files_;
};

}  // namespace

CodeGeneratorResponse generate(const CodeGeneratorRequest& request) {
  CodeGeneratorResponse response;
  announce_features(response);
  try {
    const Generator generator(request);
    for (const std::string& name : request.file_to_generate()) generator.generate(name, response);
  } catch (const std::exception& error) {
    response.clear_file();
    response.set_error(error.what());
  }
  return response;
}

}  // namespace trunkline::codegen
