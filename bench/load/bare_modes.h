// SPDX-License-Identifier: MIT
// The two modes of bare_socket; each returns the process's exit code.
#pragma once

#include "load_options.h"

#include <trunkline/endpoint.h>
#include <trunkline/transport_options.h>

namespace trunkline::bench {

/// Prints "listening on URI", then serves until the process is killed.
int serve_bare(const LoadOptions& options, const Endpoint& endpoint, const TransportOptions& transport);
/// Drives the load for the time of the options and prints one line of JSON (LoadReport).
int run_bare_client(const LoadOptions& options, const Endpoint& endpoint, const TransportOptions& transport);

}  // namespace trunkline::bench
