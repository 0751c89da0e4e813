// SPDX-License-Identifier: MIT
// The names of the codecs and compressors that the command offers, from the registries.
#pragma once

#include <string>
#include <vector>

namespace trunkline::cli::schema {

/// The built-in codecs; lives until the program ends. "protobuf" is always among them: the command encodes protobuf
/// messages itself.
const std::vector<std::string>& codec_names();

/// "protobuf|json|...", for a help page.
std::string codec_choices();

/// "identity" and the built-in compressors: "identity|snappy|...", for a help page.
std::string compressor_choices();

}  // namespace trunkline::cli::schema
