// SPDX-License-Identifier: MIT
// Writes data to standard output and messages to standard error.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::cli::output {

/// Writes to standard output at once. Throws OutputClosed if the reader is gone, and Failure for other errors.
void write_output(std::string_view text);

/// Writes all bytes to an open file; `path` is for the error. Throws Failure.
void write_all(int file, const std::string& path, std::string_view bytes);

/// Writes to standard output once, as much as is possible without waiting. Never fails.
void try_write_output(std::string_view text) noexcept;

/// Writes a message to standard error. Never fails.
void write_message(std::string_view text) noexcept;

}  // namespace trunkline::cli::output
