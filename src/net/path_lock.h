// SPDX-License-Identifier: MIT
// PathLock: a lock between processes, held while its object lives.
#pragma once

#include "net/unique_socket.h"

#include <string>

namespace trunkline::net {

/// Waits for the lock that the file `path` stands for; the file is there only while somebody holds or wants it. Holds
/// nothing if `path` is empty or the file cannot be opened.
class PathLock {
 public:
  explicit PathLock(std::string path) noexcept;
  ~PathLock();
  PathLock(const PathLock&) = delete;
  PathLock& operator=(const PathLock&) = delete;

  bool is_held() const noexcept { return file_.get() >= 0; }

 private:
  const std::string path_;
  UniqueSocket file_;
};

}  // namespace trunkline::net
