// SPDX-License-Identifier: MIT
// Command: what `trunkline NAME` is, and the table of them.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <span>

namespace trunkline::cli {

class Command {
 public:
  Command() = default;
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Adds its arguments; they must live as long as it does.
  virtual void declare(CLI::App& app) = 0;
  /// After its arguments have been read: the number to end with. Throws Failure and OutputClosed.
  virtual int run() = 0;
};

struct CommandEntry {
  const char* name;
  const char* summary;
  const char* examples;  ///< what --help ends with
  std::unique_ptr<Command> (*make)();
};

/// In the order --help lists them.
std::span<const CommandEntry> command_table() noexcept;

}  // namespace trunkline::cli
