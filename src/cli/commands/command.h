// SPDX-License-Identifier: MIT
// Command: the interface of a command of `trunkline`, and the table of commands.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <span>

namespace trunkline::cli::commands {

class Command {
 public:
  Command() = default;
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Declares the arguments of the command, which must live as long as the command.
  virtual void declare(CLI::App& app) = 0;
  /// Runs the command after the arguments have been read. Returns the exit status. Throws Failure and OutputClosed.
  virtual int run() = 0;
};

struct CommandEntry {
  const char* name;
  const char* summary;
  /// The last part of --help.
  const char* examples;
  std::unique_ptr<Command> (*make)();
};

/// Returns the commands in the order of --help.
std::span<const CommandEntry> command_table() noexcept;

}  // namespace trunkline::cli::commands
