// SPDX-License-Identifier: MIT
// PathLock: makes, locks and removes the lock file.
#include "net/path_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

namespace trunkline::net {

namespace {

bool lock(int file) noexcept {
  int result = -1;
  do {
    result = ::flock(file, LOCK_EX);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

bool is_file_of_path(int file, const std::string& path) noexcept {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

}  // namespace

PathLock::PathLock(std::string path) noexcept : path_(std::move(path)) {
  while (!path_.empty()) {
    // A copy of the descriptor in a forked child would hold the lock.
    UniqueSocket file(ForkSafeSockets::make(
        [this] { return ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR); }));
    if (file.get() < 0 || !lock(file.get())) return;
    // The previous holder has removed the file, so that the lock on it excludes no other process.
    if (!is_file_of_path(file.get(), path_)) continue;
    file_ = std::move(file);
    return;
  }
}

PathLock::~PathLock() {
  // The name goes before the lock, so that processes that wait for the lock find that they have locked a removed file.
  if (is_held()) ::unlink(path_.c_str());
}

}  // namespace trunkline::net
