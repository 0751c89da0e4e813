// SPDX-License-Identifier: MIT
// The exit statuses of the command; docs/command.md lists them for users.
#pragma once

#include <trunkline/status.h>

namespace trunkline::cli::process::exit_status {

inline constexpr int ok = 0;
/// A check has a negative result, or something failed on this machine.
inline constexpr int failed = 1;
/// The command line or a request is wrong.
inline constexpr int usage = 2;
/// Base for a call that ended with a status other than ok: add the status code, as grpcurl does.
inline constexpr int status_base = 64;
/// Base for a process that a signal ended: add the number of the signal, as shells do.
inline constexpr int signal_base = 128;

constexpr int of(StatusCode code) noexcept {
  return code == StatusCode::ok ? ok : status_base + static_cast<int>(code);
}

}  // namespace trunkline::cli::process::exit_status
