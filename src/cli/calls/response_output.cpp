// SPDX-License-Identifier: MIT
// ResponseOutput: writes JSON lines to standard output, or bytes to a file.
#include "cli/calls/response_output.h"

#include "cli/output/standard_streams.h"
#include "cli/process/failure.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace trunkline::cli::calls {

ResponseOutput::ResponseOutput(const std::string& path) : path_(path) {
  if (path_ == "-") return;
  file_ = process::FileHandle(open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (file_.get() < 0) throw process::usage_error("--output-binary " + path_ + ": " + std::strerror(errno));
}

void ResponseOutput::write(const schema::PackedMessage& response) {
  if (coder_ != nullptr) {
    const Result<std::string> json = coder_->decode(response);
    if (!json) throw process::Failure(json.status());
    return output::write_output(*json + "\n");
  }
  const std::string_view bytes = response.bytes.text();
  if (file_.get() < 0) return output::write_output(bytes);
  empty_file();
  output::write_all(file_.get(), path_, bytes);
}

void ResponseOutput::empty_file() noexcept {
  // Pipes and devices cannot be truncated.
  if (!std::exchange(is_begun_, true) && file_.get() >= 0) static_cast<void>(!ftruncate(file_.get(), 0));
}

}  // namespace trunkline::cli::calls
