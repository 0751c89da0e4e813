// SPDX-License-Identifier: MIT
// InheritedDeadline: the deadline of the server call whose handler runs on this thread, which the calls made there
// inherit.
#pragma once

#include "base/clock.h"

#include <utility>

namespace trunkline::call {

class InheritedDeadline {
 public:
  /// Returns the deadline that calls made on this thread inherit; `never` outside a handler, or if its call has none.
  static base::TimePoint current() noexcept { return value(); }

  /// Sets the deadline during a plain or blocking handler. Scopes nest. Coroutines must not use it: while one is
  /// suspended, other code runs on its thread.
  class Scope {
   public:
    explicit Scope(base::TimePoint deadline) noexcept : value_(value()), outer_(std::exchange(value_, deadline)) {}
    ~Scope() { value_ = outer_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    /// The value of the thread.
    base::TimePoint& value_;
    const base::TimePoint outer_;
  };

 private:
  static base::TimePoint& value() noexcept;
};

}  // namespace trunkline::call
