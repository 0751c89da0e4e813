// SPDX-License-Identifier: MIT
// ResponseOutput: where the responses of a call go, and in which form.
#pragma once

#include "cli/file_handle.h"
#include "cli/message_coder.h"
#include "cli/payload.h"

#include <string>

namespace trunkline::cli {

class ResponseOutput {
 public:
  /// JSON on standard output, a line for each. `coder` must outlive it.
  explicit ResponseOutput(const MessageCoder& coder) noexcept : coder_(&coder) {}
  /// The bytes that they came in, one after the other, in a file that is made now, or emptied once there is a response
  /// or finish(); "-": standard output. Throws Failure if it cannot be opened.
  explicit ResponseOutput(const std::string& path);

  /// Throws Failure if it cannot be shown or written, and OutputClosed.
  void write(const Payload& response);
  /// The call has ended well: what an earlier one has left in the file is not its outcome.
  void finish() noexcept { empty_file(); }

 private:
  void empty_file() noexcept;

  const MessageCoder* coder_ = nullptr;
  FileHandle file_;
  std::string path_;
  bool is_begun_ = false;
};

}  // namespace trunkline::cli
