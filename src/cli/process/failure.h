// SPDX-License-Identifier: MIT
// Failure and OutputClosed: exceptions that end the command; CommandLine and main() catch them.
#pragma once

#include "cli/process/exit_status.h"

#include <trunkline/status.h>

#include <stdexcept>
#include <string>

namespace trunkline::cli::process {

/// An error with a message for standard error and the exit status.
class Failure : public std::runtime_error {
 public:
  Failure(int exit_status, const std::string& message) : std::runtime_error(message), exit_status_(exit_status) {}
  /// Makes the failure of a call that ended with this status.
  explicit Failure(const Status& status) : Failure(exit_status::of(status.code()), status.to_string()) {}

  int exit_status() const noexcept { return exit_status_; }

 private:
  int exit_status_;
};

/// Makes the failure of a wrong command line or a wrong request.
inline Failure usage_error(const std::string& message) { return {exit_status::usage, message}; }

/// An exception that ends the command without a message: the reader of standard output has closed its end.
class OutputClosed : public std::exception {
 public:
  const char* what() const noexcept override { return "standard output is closed"; }
};

}  // namespace trunkline::cli::process
