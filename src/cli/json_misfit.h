// SPDX-License-Identifier: MIT
// Why a JSON value is no message of a type: which field, and what it takes.
#pragma once

#include <google/protobuf/descriptor.h>
#include <nlohmann/json.hpp>

#include <string>

namespace trunkline::cli {

/// The first field that does not fit, members by their names, by protobuf's JSON mapping, e.g. "field 'items[2].count'
/// of example.Order: expected a number from -2147483648 to 2147483647, found text". Empty if all fits as far as this
/// knows.
std::string find_misfit(const nlohmann::json& json, const google::protobuf::Descriptor& type);

}  // namespace trunkline::cli
