// SPDX-License-Identifier: MIT
// contest_grpc_cpp: gRPC C++ by its completion-queue API, one thread each side, as its performance guide advises.
#include "modes.h"

int main(int count, char** arguments) {
  const auto options = trunkline::contest::parse_options(count, arguments);
  if (!options) return 2;
  return options->serves ? trunkline::contest::serve(*options) : trunkline::contest::call(*options);
}
