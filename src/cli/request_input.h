// SPDX-License-Identifier: MIT
// RequestInput: where requests come from - the command line, a file, standard input.
#pragma once

#include "cli/file_handle.h"
#include "cli/json_sequence.h"

#include <trunkline/result.h>

#include <optional>
#include <string>

namespace trunkline::cli {

/// One thread calls next(), any thread stop().
class RequestInput {
 public:
  static RequestInput from_text(std::string text);
  /// "-": standard input. Throws Failure if the file cannot be opened; `option` is the one that names it.
  static RequestInput from_file(const std::string& path, const std::string& option = "--file ");

  /// One value that need not be JSON: the bytes, or after "@" those of a file ("@-": standard input) up to its end.
  static RequestInput of_bytes(const std::string& argument);

  /// Waits for the next JSON value; nullopt at the end and after stop(). Errors: reading failed; a value is larger than
  /// any message may be.
  Result<std::optional<JsonText>> next();
  /// True if what has been read holds more than the values already given out; does not wait, except for a file.
  Result<bool> has_more();
  /// What waits in next() comes back.
  void stop() noexcept;

 private:
  explicit RequestInput(FileHandle file);

  enum class Step : unsigned char { read, ended, stopped };
  Result<Step> read_some();
  /// What has been read and not been given out.
  std::optional<JsonText> take();

  JsonSequence values_;
  FileHandle file_;
  FileHandle stop_;
  bool is_interactive_ = false;
  std::optional<JsonText> ahead_;
  std::optional<std::string> whole_;  ///< the one value so far, where it is not JSON
};

}  // namespace trunkline::cli
