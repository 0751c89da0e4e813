// SPDX-License-Identifier: MIT
// ExceptionLog: logs exceptions of the user's handlers, whose contract forbids them to throw.
#pragma once

#include "base/exception_text.h"

#include <trunkline/log.h>

#include <string>

namespace trunkline::client {

/// A log that any thread may use.
class ExceptionLog {
 public:
  /// `callback` may be empty, and must outlive this object.
  explicit ExceptionLog(const LogCallback& callback) noexcept : callback_(callback) {}

  /// Logs the exception that is being handled. May be called only inside a catch clause.
  void log_current() const noexcept {
    if (!callback_) return;
    try {
      const std::string text = "run loop: a handler has thrown: " + base::current_exception_text();
      callback_({.level = LogLevel::error, .message = text, .method = {}, .peer = {}});
    } catch (...) {  // There is no further log for what the log throws.
    }
  }
  /// Runs `task`, and logs what it throws.
  template <class Task>
  void guard(Task&& task) const noexcept {
    try {
      task();
    } catch (...) {
      log_current();
    }
  }
  /// Completes a CallOperation or StreamOperation before the function that began it returns.
  template <class Operation>
  void complete_initiating(Operation& operation) const noexcept {
    operation.is_initiating = true;
    guard([&] { operation.complete(operation); });
  }

 private:
  const LogCallback& callback_;
};

}  // namespace trunkline::client
