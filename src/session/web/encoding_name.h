// SPDX-License-Identifier: MIT
// The names of encodings in fields, which are those of HTTP's content codings (RFC 9110, section 8.4.1).
#pragma once

#include <string_view>

namespace trunkline::session::web {

/// Returns whether a field means the compressor `own`. The case of a coding does not matter, and x-gzip is gzip.
bool names_encoding(std::string_view field, std::string_view own) noexcept;
/// Returns whether a field says that a message is not compressed, as an empty field does.
bool names_identity(std::string_view field) noexcept;

}  // namespace trunkline::session::web
