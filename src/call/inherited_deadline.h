// SPDX-License-Identifier: MIT
// InheritedDeadline: the deadline of the server call whose handler runs on this thread, for the calls it makes.
#pragma once

#include "base/clock.h"

#include <utility>

namespace trunkline::call {

class InheritedDeadline {
 public:
  /// `never` outside a handler, or if its call has none.
  static base::TimePoint current() noexcept { return value(); }

  /// Around a plain or blocking handler. Nests. Not around a coroutine, which lets others run on its thread.
  class Scope {
   public:
    explicit Scope(base::TimePoint deadline) noexcept : outer_(std::exchange(value(), deadline)) {}
    ~Scope() { value() = outer_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    base::TimePoint outer_;
  };

 private:
  static base::TimePoint& value() noexcept;
};

}  // namespace trunkline::call
