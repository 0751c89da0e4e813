// SPDX-License-Identifier: MIT
// Parses metadata as NAME:VALUE, the form of the command line, and formats it for --verbose.
#pragma once

#include <trunkline/metadata.h>
#include <trunkline/result.h>

#include <string>
#include <string_view>

namespace trunkline::cli::arguments {

/// Adds the entry. Space around the value is dropped, and capital letters of the name become small ones. The value of a
/// name that ends in "-bin" is base64. Error: invalid_argument, which quotes the name but never the value.
Status add_metadata(std::string_view argument, Metadata& metadata);

/// Returns "name: value", with the value in base64 if the name ends in "-bin".
std::string format_metadata(const Metadata::Entry& entry);

}  // namespace trunkline::cli::arguments
