// SPDX-License-Identifier: MIT
// Files in shared memory.
#include "records.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace trunkline::soak {

SharedFile::SharedFile(const std::string& path, std::size_t size) {
  const auto fail = [&path](int file) {
    const std::error_code error(errno, std::generic_category());
    if (file >= 0) ::close(file);
    throw std::system_error(error, path);
  };
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  struct stat facts {};
  if (file < 0 || ::fstat(file, &facts) != 0) fail(file);
  if (static_cast<std::size_t>(facts.st_size) < size && ::ftruncate(file, static_cast<off_t>(size)) != 0) fail(file);
  void* const at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (at == MAP_FAILED) fail(file);
  ::close(file);
  bytes_ = {static_cast<std::uint8_t*>(at), size};
}

SharedFile::~SharedFile() { ::munmap(bytes_.data(), bytes_.size()); }

}  // namespace trunkline::soak
