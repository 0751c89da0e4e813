// SPDX-License-Identifier: MIT
// contest_thrift_cpp: Thrift C++ with its nonblocking server, TBinaryProtocol in frames; a client thread for each
// connection.
#include "modes.h"

#include <cstdio>
#include <exception>

int main(int count, char** arguments) {
  const auto options = trunkline::contest::parse_options(count, arguments);
  if (!options) return 2;
  try {
    return options->serves ? trunkline::contest::serve(*options) : trunkline::contest::call(*options);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "contest_thrift_cpp: %s\n", error.what()), 1;
  }
}
