// SPDX-License-Identifier: MIT
// JSON for people, bytes for programs.
#include "cli/response_output.h"

#include "cli/failure.h"
#include "cli/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace trunkline::cli {

ResponseOutput::ResponseOutput(const std::string& path) : path_(path) {
  if (path_ == "-") return;
  file_ = FileHandle(open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (file_.get() < 0) throw misuse("--output-binary " + path_ + ": " + std::strerror(errno));
}

void ResponseOutput::write(const Payload& response) {
  if (coder_ != nullptr) {
    const Result<std::string> json = coder_->decode(response);
    if (!json) throw Failure(json.status());
    return write_output(*json + "\n");
  }
  const std::string_view bytes = response.bytes.text();
  if (file_.get() < 0) return write_output(bytes);
  empty_file();
  write_file(file_.get(), path_, bytes);
}

void ResponseOutput::empty_file() noexcept {
  // Pipes and devices have nothing to be cut off.
  if (!std::exchange(is_begun_, true) && file_.get() >= 0) static_cast<void>(!ftruncate(file_.get(), 0));
}

}  // namespace trunkline::cli
