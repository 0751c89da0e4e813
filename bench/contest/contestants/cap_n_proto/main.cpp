// SPDX-License-Identifier: MIT
// contest_cap_n_proto: Cap'n Proto's two-party RPC on KJ's event loop, one thread each side.
#include "modes.h"

#include <kj/exception.h>

#include <cstdio>

int main(int count, char** arguments) {
  const auto options = trunkline::contest::parse_options(count, arguments);
  if (!options) return 2;
  try {
    return options->serves ? trunkline::contest::serve(*options) : trunkline::contest::call(*options);
  } catch (const kj::Exception& error) {
    std::fprintf(stderr, "contest_cap_n_proto: %s\n", error.getDescription().cStr());
    return 1;
  }
}
