// SPDX-License-Identifier: MIT
// Tells the kinds of protobuf's well-known types (https://protobuf.dev/reference/protobuf/google.protobuf/).
#pragma once

#include <google/protobuf/descriptor.h>

namespace trunkline::codec {

/// Returns true for DoubleValue to BoolValue, whose one field stands for the message in JSON.
inline bool is_wrapper(const google::protobuf::Descriptor& type) {
  using google::protobuf::Descriptor;
  switch (type.well_known_type()) {
    case Descriptor::WELLKNOWNTYPE_DOUBLEVALUE:
    case Descriptor::WELLKNOWNTYPE_FLOATVALUE:
    case Descriptor::WELLKNOWNTYPE_INT64VALUE:
    case Descriptor::WELLKNOWNTYPE_UINT64VALUE:
    case Descriptor::WELLKNOWNTYPE_INT32VALUE:
    case Descriptor::WELLKNOWNTYPE_UINT32VALUE:
    case Descriptor::WELLKNOWNTYPE_STRINGVALUE:
    case Descriptor::WELLKNOWNTYPE_BYTESVALUE:
    case Descriptor::WELLKNOWNTYPE_BOOLVALUE:
      return true;
    default:
      return false;
  }
}

/// Returns true for a field of the enum NullValue, whose value is null in JSON.
inline bool is_null_value(const google::protobuf::FieldDescriptor& field) {
  return field.cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_ENUM &&
         field.enum_type()->full_name() == "google.protobuf.NullValue";
}

}  // namespace trunkline::codec
