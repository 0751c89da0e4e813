// SPDX-License-Identifier: MIT
// Agenda: actions to run at points in virtual time.
#pragma once

#include "base/clock.h"

#include <functional>
#include <map>
#include <utility>

namespace trunkline::simulation {

class Agenda {
 public:
  void at(base::TimePoint time, std::function<void()> action) { entries_.emplace(time, std::move(action)); }
  base::TimePoint next() const noexcept { return entries_.empty() ? base::never : entries_.begin()->first; }
  /// Runs the actions that are due by `now`. True if there were any.
  bool run(base::TimePoint now) {
    bool ran = false;
    while (!entries_.empty() && entries_.begin()->first <= now) {
      const auto action = std::move(entries_.begin()->second);
      entries_.erase(entries_.begin());
      action();
      ran = true;
    }
    return ran;
  }

 private:
  std::multimap<base::TimePoint, std::function<void()>> entries_;
};

}  // namespace trunkline::simulation
