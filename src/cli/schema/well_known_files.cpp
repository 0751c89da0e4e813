// SPDX-License-Identifier: MIT
// well_known_files(): refers to one message of each file, so that a static linker takes the whole file.
#include "cli/schema/well_known_files.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/api.pb.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/empty.pb.h>
#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/source_context.pb.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/type.pb.h>
#include <google/protobuf/wrappers.pb.h>

#include <array>

namespace trunkline::cli::schema {

std::span<const google::protobuf::FileDescriptor* const> well_known_files() {
  namespace protobuf = google::protobuf;
  static const std::array files{
      protobuf::Any::descriptor()->file(),
      protobuf::Api::descriptor()->file(),
      protobuf::FileDescriptorProto::descriptor()->file(),
      protobuf::Duration::descriptor()->file(),
      protobuf::Empty::descriptor()->file(),
      protobuf::FieldMask::descriptor()->file(),
      protobuf::SourceContext::descriptor()->file(),
      protobuf::Struct::descriptor()->file(),
      protobuf::Timestamp::descriptor()->file(),
      protobuf::Type::descriptor()->file(),
      protobuf::StringValue::descriptor()->file(),
  };
  return files;
}

}  // namespace trunkline::cli::schema
