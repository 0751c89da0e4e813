// SPDX-License-Identifier: MIT
// percent_decoded: what a part of a URI stands for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trunkline::naming {

/// None: a percent sign without two hexadecimal digits, or the byte 0.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace trunkline::naming
