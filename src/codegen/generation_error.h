// SPDX-License-Identifier: MIT
// GenerationError: an error in a request, reported to the user of protoc.
#pragma once

#include <stdexcept>

namespace trunkline::codegen {

/// An error that all functions below generate() throw, which catches it.
class GenerationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace trunkline::codegen
