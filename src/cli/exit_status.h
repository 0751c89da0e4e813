// SPDX-License-Identifier: MIT
// The numbers the command ends with; docs/command.md lists them for users.
#pragma once

#include <trunkline/status.h>

namespace trunkline::cli::exit_status {

inline constexpr int ok = 0;
/// What was asked for is not so, or something on this machine failed.
inline constexpr int failed = 1;
/// The command line, or what was to be sent, is wrong.
inline constexpr int misused = 2;
/// A call that ended with a status: this and its code, as grpcurl has it.
inline constexpr int status_base = 64;
/// Ended by a signal: this and its number, as shells have it.
inline constexpr int signal_base = 128;

constexpr int of(StatusCode code) noexcept {
  return code == StatusCode::ok ? ok : status_base + static_cast<int>(code);
}

}  // namespace trunkline::cli::exit_status
