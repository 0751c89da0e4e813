// SPDX-License-Identifier: MIT
// Defines the exit statuses of the command, which docs/command.md lists for users.
#pragma once

#include <trunkline/status.h>

namespace trunkline::cli::process::exit_status {

inline constexpr int ok = 0;
/// A check has a negative result, or something failed on this machine.
inline constexpr int failed = 1;
/// The command line or a request is wrong.
inline constexpr int usage = 2;
/// The base for a call that ended with a status other than ok; the status code is added, as grpcurl does.
inline constexpr int status_base = 64;
/// The base for a process that a signal ended; the number of the signal is added, as shells do.
inline constexpr int signal_base = 128;

constexpr int of(StatusCode code) noexcept {
  return code == StatusCode::ok ? ok : status_base + static_cast<int>(code);
}

}  // namespace trunkline::cli::process::exit_status
