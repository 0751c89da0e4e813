// SPDX-License-Identifier: MIT
// Lists the names of the codecs and compressors that the command offers, from the registries.
#pragma once

#include <string>
#include <vector>

namespace trunkline::cli::schema {

/// Returns the built-in codecs, which live until the program ends. "protobuf" is always among them: the command encodes
/// protobuf messages itself.
const std::vector<std::string>& codec_names();

/// Returns "protobuf|json|...", for a help page.
std::string codec_choices();

/// Returns "identity" and the built-in compressors: "identity|snappy|...", for a help page.
std::string compressor_choices();

}  // namespace trunkline::cli::schema
