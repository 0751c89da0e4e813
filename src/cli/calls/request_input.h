// SPDX-License-Identifier: MIT
// RequestInput: reads requests from the command line, a file or standard input.
#pragma once

#include "cli/json/json_sequence.h"
#include "cli/process/file_handle.h"

#include <trunkline/result.h>

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

namespace trunkline::cli::calls {

/// An input whose next() one thread calls, while any thread may call stop().
class RequestInput {
 public:
  static RequestInput from_text(std::string text);
  /// Reads a file; "-": standard input. `option` is the option that names it. Throws Failure if it cannot be opened.
  static RequestInput from_file(const std::string& path, const std::string& option = "--file ");

  /// Reads one value that need not be JSON: the bytes themselves or, after "@", the contents of a file ("@-": standard
  /// input).
  static RequestInput of_bytes(const std::string& argument);

  /// Waits for the next JSON value; nullopt at the end and after stop(). Errors: reading failed; a value is larger than
  /// any message may be.
  Result<std::optional<json::JsonText>> next();
  /// Returns true if more values follow among the bytes that have been read. Waits only for a file.
  Result<bool> has_more();
  /// Returns true if there is one value, which next() returns, and no more will come, as far as is known without
  /// waiting for anybody.
  Result<bool> is_single();
  /// Makes a waiting next() return.
  void stop() noexcept;

 private:
  explicit RequestInput(process::FileHandle file);

  enum class Step : unsigned char { read, ended, stopped };
  Result<Step> read_some();
  /// Takes a value that has been read but not returned.
  std::optional<json::JsonText> take();
  Result<std::optional<json::JsonText>> read_next();
  Result<bool> look_ahead(std::size_t values);

  json::JsonSequence values_;
  process::FileHandle file_;
  process::FileHandle stop_;
  bool is_interactive_ = false;
  /// The values that have been read but not returned.
  std::deque<json::JsonText> ahead_;
  /// The part of the one value that has been read, if it is not JSON; nullopt for JSON, and once the value is taken.
  std::optional<std::string> whole_;
};

}  // namespace trunkline::cli::calls
