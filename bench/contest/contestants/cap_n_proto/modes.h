// SPDX-License-Identifier: MIT
// The two modes of contest_cap_n_proto; each returns the process's exit code and may throw kj::Exception.
#pragma once

#include "options.h"

#include <capnp/message.h>

namespace trunkline::contest {

/// Prints "listening on HOST:PORT", then serves until the process is killed.
int serve(const Options& options);
/// Calls for the time of the options and prints one line of JSON.
int call(const Options& options);

/// Room for a message with a payload of so many bytes, so that it is allocated once.
inline capnp::MessageSize size_for(std::size_t bytes) { return {16 + bytes / sizeof(capnp::word), 0}; }

}  // namespace trunkline::contest
