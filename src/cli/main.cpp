// SPDX-License-Identifier: MIT
// The program `trunkline`.
#include "cli/command_line.h"
#include "cli/failure.h"

#include <google/protobuf/stubs/logging.h>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace {

/// A descriptor that is closed would be given to the next file or connection, which would then be written messages.
void open_standard_files() noexcept {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
    if (fcntl(file, F_GETFD) < 0) (void)open("/dev/null", O_RDWR);
  }
}

}  // namespace

int main(int count, char** arguments) {
  open_standard_files();
  // It writes what peers say to standard error as it is; errors are told by results.
  google::protobuf::SetLogHandler(nullptr);
  // That nobody reads is told by the write.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return trunkline::cli::CommandLine().run(count, arguments);
  } catch (const trunkline::cli::OutputClosed&) {
    return trunkline::cli::exit_status::signal_base + SIGPIPE;
  } catch (const trunkline::cli::Failure& failure) {
    return failure.exit_status();
  }
}
