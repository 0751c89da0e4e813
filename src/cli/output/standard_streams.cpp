// SPDX-License-Identifier: MIT
// Repeats write(2) until everything is written.
#include "cli/output/standard_streams.h"

#include "cli/process/failure.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace trunkline::cli::output {
namespace {

/// Writes everything. Returns 0 or the error number.
int write_all(int file, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      // Another process that shares the descriptor made it non-blocking.
      pollfd wait{.fd = file, .events = POLLOUT, .revents = 0};
      poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

void write_output(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == EPIPE || error == EIO) throw process::OutputClosed();
  if (error != 0)
    throw process::Failure(process::exit_status::failed, std::string("write standard output: ") + std::strerror(error));
}

void write_all(int file, const std::string& path, std::string_view bytes) {
  if (const int error = write_all(file, bytes); error != 0) {
    throw process::Failure(process::exit_status::failed, "write " + path + ": " + std::strerror(error));
  }
}

void try_write_output(std::string_view text) noexcept {
  pollfd ready{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  if (poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) return;
  // The part that does not fit is dropped.
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
}

void write_message(std::string_view text) noexcept { write_all(STDERR_FILENO, text); }

}  // namespace trunkline::cli::output
