// SPDX-License-Identifier: MIT
// --proto, -I and --descriptor-set.
#include "cli/schema_arguments.h"

#include "cli/file_source.h"
#include "cli/reflection_source.h"

namespace trunkline::cli {

namespace {

constexpr const char* group = "Definitions";

}  // namespace

void SchemaArguments::declare(CLI::App& app) {
  auto* const files =
      app.add_option("--proto", proto_files_, "Definitions from this file instead of the server's reflection")
          ->type_name("FILE")
          ->allow_extra_args(false)
          ->group(group);
  app.add_option("-I,--proto-path", folders_, "Where the files and their imports are; else beside them")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->needs(files)
      ->group(group);
  app.add_option("--descriptor-set", descriptor_set_, "The same from what protoc --include_imports -o has written")
      ->type_name("FILE")
      ->excludes(files)
      ->group(group);
}

std::unique_ptr<SchemaSource> SchemaArguments::source(Channel& channel, const std::string& endpoint,
                                                      const CallOptions& options) const {
  if (!proto_files_.empty()) return read_proto_files(proto_files_, folders_);
  if (!descriptor_set_.empty()) return read_descriptor_set(descriptor_set_);
  return std::make_unique<ReflectionSource>(channel, endpoint, options);
}

}  // namespace trunkline::cli
