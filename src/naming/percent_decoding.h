// SPDX-License-Identifier: MIT
// percent_decoded(): decodes a part of a URI.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trunkline::naming {

/// Returns the decoded text; nullopt for a percent sign without two hexadecimal digits, and for the byte 0.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace trunkline::naming
