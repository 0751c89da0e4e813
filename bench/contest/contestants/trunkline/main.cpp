// SPDX-License-Identifier: MIT
// contest_trunkline: Trunkline in C++ by its public API alone; one loop on one thread for the server, one for the
// client.
#include "modes.h"

#include <cstdio>
#include <exception>

int main(int count, char** arguments) {
  const auto options = trunkline::contest::parse_options(count, arguments);
  if (!options) return 2;
  try {
    return options->serves ? trunkline::contest::serve(*options) : trunkline::contest::call(*options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "contest_trunkline: %s\n", error.what());
    return 1;
  }
}
