// SPDX-License-Identifier: MIT
// grpc_peer: the same echo under the same load by gRPC C++, to which load_compare compares ours.
#include "grpc_peer_modes.h"

int main(int count, char** arguments) {
  const auto options = trunkline::bench::parse_load_options("", count, arguments);
  if (!options) return 2;
  return options->is_server() ? trunkline::bench::serve_grpc(*options) : trunkline::bench::run_grpc_client(*options);
}
