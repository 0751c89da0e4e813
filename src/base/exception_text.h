// SPDX-License-Identifier: MIT
// current_exception_text(): returns the text of an exception, for statuses and the log.
#pragma once

#include <exception>
#include <string>

namespace trunkline::base {

/// Returns the text of the exception that is being handled. Must be called inside a catch clause.
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
