// SPDX-License-Identifier: MIT
// Standard output for data, standard error for messages.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::cli {

/// Writes at once. Throws OutputClosed if nobody reads any more, Failure for other errors.
void write_output(std::string_view text);

/// To a file that is open for writing; `path`: for the error. Throws Failure.
void write_file(int file, const std::string& path, std::string_view bytes);

/// To standard output, once and as far as it goes without waiting; never fails.
void try_write_output(std::string_view text) noexcept;

/// A message; never fails.
void write_message(std::string_view text) noexcept;

}  // namespace trunkline::cli
