// SPDX-License-Identifier: MIT
// explain_conversion_error(): explains why a JSON value does not convert to a protobuf message.
#pragma once

#include <google/protobuf/descriptor.h>
#include <nlohmann/json.hpp>

#include <string>

namespace trunkline::cli::json {

/// Describes the first field that does not match by protobuf's JSON mapping, e.g. "field 'items[2].count': expected a
/// number from -2147483648 to 2147483647, found text". Returns an empty text if it finds no error; protobuf itself may
/// still refuse the value.
std::string explain_conversion_error(const nlohmann::json& json, const google::protobuf::Descriptor& type);

}  // namespace trunkline::cli::json
