// SPDX-License-Identifier: MIT
// LoadOptions: the command line that bare_socket, load_server, load_client and grpc_peer share.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace trunkline::bench {

struct LoadOptions {
  std::string mode;       ///< serve or client; empty for programs that have one mode only
  std::string endpoint;   ///< as the program takes it
  std::size_t bytes = 8;  ///< of a payload; bare_socket: of a whole frame
  int connections = 1;
  int outstanding = 1;  ///< over all connections
  double seconds = 2;
  double warmup = 0.3;
  bool busy_poll = false;
  std::string congestion;  ///< TCP congestion control; empty: the system's own

  bool is_server() const noexcept { return mode == "serve"; }
};

/// `mode` is the program's only mode; if empty the first argument names it. Prints to stderr what is wrong and returns
/// nothing if there is anything.
std::optional<LoadOptions> parse_load_options(std::string mode, int count, char** arguments);

}  // namespace trunkline::bench
