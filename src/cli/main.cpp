// SPDX-License-Identifier: MIT
// The program `trunkline`.
#include "cli/commands/command_line.h"
#include "cli/process/failure.h"

#include <google/protobuf/stubs/logging.h>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace {

/// Opens closed standard descriptors: otherwise the next file or connection would take their numbers and receive
/// messages.
void open_standard_files() noexcept {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
    if (fcntl(file, F_GETFD) < 0) (void)open("/dev/null", O_RDWR);
  }
}

}  // namespace

int main(int count, char** arguments) {
  open_standard_files();
  // protobuf would log text from peers to standard error unescaped; errors are reported by results.
  google::protobuf::SetLogHandler(nullptr);
  // The write itself reports that the reader is gone.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return trunkline::cli::commands::CommandLine().run(count, arguments);
  } catch (const trunkline::cli::process::OutputClosed&) {
    return trunkline::cli::process::exit_status::signal_base + SIGPIPE;
  } catch (const trunkline::cli::process::Failure& failure) {
    return failure.exit_status();
  }
}
