// SPDX-License-Identifier: MIT
// GenerationError: what is wrong with a request, told to whoever runs protoc.
#pragma once

#include <stdexcept>

namespace trunkline::codegen {

/// Thrown anywhere below generate(), which alone catches it.
class GenerationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace trunkline::codegen
