// SPDX-License-Identifier: MIT
// Failure: what ends a command early. The folder is a program, so these are thrown; main() catches them.
#pragma once

#include "cli/exit_status.h"

#include <trunkline/status.h>

#include <stdexcept>
#include <string>

namespace trunkline::cli {

/// A text for standard error, and the number to end with.
class Failure : public std::runtime_error {
 public:
  Failure(int exit_status, const std::string& message) : std::runtime_error(message), exit_status_(exit_status) {}
  /// A call that ended so.
  explicit Failure(const Status& status) : Failure(exit_status::of(status.code()), status.to_string()) {}

  int exit_status() const noexcept { return exit_status_; }

 private:
  int exit_status_;
};

/// The command line, or what was to be sent, is wrong.
inline Failure misuse(const std::string& message) { return {exit_status::misused, message}; }

/// Whoever read standard output has gone: the command ends without a word.
class OutputClosed : public std::exception {
 public:
  const char* what() const noexcept override { return "standard output is closed"; }
};

}  // namespace trunkline::cli
