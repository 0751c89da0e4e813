// SPDX-License-Identifier: MIT
// SchemaArguments: declares --proto, -I and --descriptor-set.
#include "cli/arguments/schema_arguments.h"

#include "cli/schema/file_source.h"
#include "cli/schema/reflection_source.h"

namespace trunkline::cli::arguments {

namespace {

constexpr const char* group = "Definitions";

}  // namespace

void SchemaArguments::declare(CLI::App& app) {
  auto* const files =
      app.add_option("--proto", proto_files_, "Definitions from this file instead of the server's reflection")
          ->type_name("FILE")
          ->allow_extra_args(false)
          ->group(group);
  app.add_option("-I,--proto-path", folders_,
                 "Where to look for the files and their imports; default: the folder of each file")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->needs(files)
      ->group(group);
  app.add_option("--descriptor-set", descriptor_set_, "Definitions from the output of protoc --include_imports -o")
      ->type_name("FILE")
      ->excludes(files)
      ->group(group);
}

std::unique_ptr<schema::SchemaSource> SchemaArguments::source(Channel& channel, const std::string& endpoint,
                                                              const CallOptions& options) const {
  if (!proto_files_.empty()) return schema::read_proto_files(proto_files_, folders_);
  if (!descriptor_set_.empty()) return schema::read_descriptor_set(descriptor_set_);
  return std::make_unique<schema::ReflectionSource>(channel, endpoint, options);
}

}  // namespace trunkline::cli::arguments
