// SPDX-License-Identifier: MIT
// current_exception_text: what an exception of the user's code says, for statuses and the log.
#pragma once

#include <exception>
#include <string>

namespace trunkline::base {

/// Inside a catch clause only.
inline std::string current_exception_text() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an unknown exception";
  }
}

}  // namespace trunkline::base
