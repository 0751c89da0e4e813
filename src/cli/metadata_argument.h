// SPDX-License-Identifier: MIT
// Metadata as NAME:VALUE, the form of command lines and of --verbose.
#pragma once

#include <trunkline/metadata.h>
#include <trunkline/result.h>

#include <string>
#include <string_view>

namespace trunkline::cli {

/// Adds the entry. Space around the value is dropped, capital letters of the name become small ones; the value of a
/// name that ends in "-bin" is base64. Errors: invalid_argument that quotes the name, never the value.
Status add_metadata(std::string_view argument, Metadata& metadata);

/// "name: value", the value as base64 where the name ends in "-bin".
std::string format_metadata(const Metadata::Entry& entry);

}  // namespace trunkline::cli
