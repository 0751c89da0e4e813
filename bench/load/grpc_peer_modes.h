// SPDX-License-Identifier: MIT
// The two modes of grpc_peer; each returns the process's exit code. gRPC has no busy_poll and no congestion option.
#pragma once

#include "load_options.h"

#include <string>

namespace trunkline::bench {

/// Prints "listening on URI", then serves until the process is killed.
int serve_grpc(const LoadOptions& options);
/// Drives the load for the time of the options and prints one line of JSON (LoadReport).
int run_grpc_client(const LoadOptions& options);

/// tcp://host:port as gRPC writes it, host:port; unix:///path is the same in both.
inline std::string to_grpc_address(const std::string& endpoint) {
  return endpoint.starts_with("tcp://") ? endpoint.substr(6) : endpoint;
}

}  // namespace trunkline::bench
