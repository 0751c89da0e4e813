// SPDX-License-Identifier: MIT
// Whether bytes are UTF-8.
#pragma once

#include <string_view>

namespace trunkline::codec {

/// Well-formed UTF-8 as of Unicode, table 3-7: no surrogates, no overlong forms, nothing above U+10FFFF.
bool is_utf8(std::string_view text) noexcept;

}  // namespace trunkline::codec
