// SPDX-License-Identifier: MIT
// ResponseOutput: writes the responses of a call, as JSON or as bytes.
#pragma once

#include "cli/process/file_handle.h"
#include "cli/schema/message_coder.h"
#include "cli/schema/packed_message.h"

#include <string>

namespace trunkline::cli::calls {

class ResponseOutput {
 public:
  /// Writes JSON to standard output, one line per response. `coder` must outlive this object.
  explicit ResponseOutput(const schema::MessageCoder& coder) noexcept : coder_(&coder) {}
  /// Writes the bytes of the responses, one after the other, to a file; "-": standard output. The file is created now,
  /// and is emptied only when there is a response or at finish(). Throws Failure if it cannot be opened.
  explicit ResponseOutput(const std::string& path);

  /// Writes a response. Throws Failure if it cannot be shown or written, and OutputClosed.
  void write(const schema::PackedMessage& response);
  /// Ends a call that succeeded: empties a file that still holds the responses of an earlier call.
  void finish() noexcept { empty_file(); }

 private:
  void empty_file() noexcept;

  const schema::MessageCoder* coder_ = nullptr;
  process::FileHandle file_;
  std::string path_;
  bool is_begun_ = false;
};

}  // namespace trunkline::cli::calls
