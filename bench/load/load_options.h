// SPDX-License-Identifier: MIT
// LoadOptions: the command line that bare_socket, bare_http, load_server, load_client and grpc_peer share.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace trunkline::bench {

struct LoadOptions {
  /// "serve" or "client". Empty for programs with one mode.
  std::string mode;
  /// In the form that the program takes.
  std::string endpoint;
  /// The size of a payload, or for bare_socket, of a whole frame.
  std::size_t bytes = 8;
  int connections = 1;
  /// Calls in progress, over all connections.
  int outstanding = 1;
  double seconds = 2;
  double warmup = 0.3;
  bool busy_poll = false;
  /// TCP congestion control. Empty: the system's default.
  std::string congestion;

  bool is_server() const noexcept { return mode == "serve"; }
};

/// `mode` is the program's only mode. If it is empty, the first argument is the mode. Prints errors to stderr, and then
/// returns nothing.
std::optional<LoadOptions> parse_load_options(std::string mode, int count, char** arguments);

}  // namespace trunkline::bench
