// SPDX-License-Identifier: MIT
// Standard output for data, standard error for messages.
#pragma once

#include <string_view>

namespace trunkline::cli {

/// Writes at once. Throws OutputClosed if nobody reads any more, Failure for other errors.
void write_output(std::string_view text);

/// The same, once and as far as it goes without waiting; never fails.
void try_write_output(std::string_view text) noexcept;

/// A message; never fails.
void write_message(std::string_view text) noexcept;

}  // namespace trunkline::cli
