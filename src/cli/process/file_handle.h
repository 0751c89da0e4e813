// SPDX-License-Identifier: MIT
// FileHandle: owns an open file descriptor, except those of the standard streams.
#pragma once

#include <unistd.h>

#include <utility>

namespace trunkline::cli::process {

class FileHandle {
 public:
  explicit FileHandle(int file = -1) noexcept : file_(file) {}
  FileHandle(FileHandle&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  FileHandle& operator=(FileHandle other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~FileHandle() {
    if (file_ > STDERR_FILENO) close(file_);
  }
  int get() const noexcept { return file_; }

 private:
  int file_;
};

}  // namespace trunkline::cli::process
