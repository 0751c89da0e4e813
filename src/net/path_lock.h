// SPDX-License-Identifier: MIT
// PathLock: a lock between processes, named by a path and held as long as the object lives.
#pragma once

#include "net/unique_socket.h"

#include <string>

namespace trunkline::net {

/// The constructor waits for the lock on the file `path`, which exists only while a process holds or awaits the lock.
/// The object holds no lock if `path` is empty or the file cannot be opened.
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
