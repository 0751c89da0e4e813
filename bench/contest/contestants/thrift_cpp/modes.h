// SPDX-License-Identifier: MIT
// The two modes of contest_thrift_cpp; each returns the process's exit code and may throw.
#pragma once

#include "options.h"

namespace trunkline::contest {

/// Prints "listening on HOST:PORT", then serves until the process is killed.
int serve(const Options& options);
/// Calls for the time of the options and prints one line of JSON.
int call(const Options& options);

}  // namespace trunkline::contest
