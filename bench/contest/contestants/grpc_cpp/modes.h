// SPDX-License-Identifier: MIT
// The two modes of contest_grpc_cpp, each returns the process's exit code; and what their credentials are made of.
#pragma once

#include "options.h"

#include <fstream>
#include <iterator>
#include <string>

namespace trunkline::contest {

/// Prints "listening on HOST:PORT", then serves until the process is killed.
int serve(const Options& options);
/// Calls for the time of the options and prints one line of JSON.
int call(const Options& options);

inline std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace trunkline::contest
