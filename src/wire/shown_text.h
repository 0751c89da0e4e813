// SPDX-License-Identifier: MIT
// shown(): makes what a peer has sent fit for an error text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trunkline::wire {

/// Returns the first `limit` bytes, which may be anything, in one line: with '?' for what is not UTF-8, and with
/// escapes as escape_controls() writes them.
std::string shown(std::string_view text, std::size_t limit = 128);

}  // namespace trunkline::wire
