// SPDX-License-Identifier: MIT
// The program `trunkline`.
#include "cli/command_line.h"
#include "cli/failure.h"

#include <csignal>

int main(int count, char** arguments) {
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
