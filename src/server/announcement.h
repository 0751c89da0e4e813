// SPDX-License-Identifier: MIT
// Announcement: tells clients where a server is.
#pragma once

#include "base/clock.h"

#include <functional>

namespace trunkline::server {

/// An announcement, used on the thread of the server's first loop. Its destructor withdraws nothing.
class Announcement {
 public:
  virtual ~Announcement() = default;
  /// Begins to announce, and goes on until withdraw() or the destructor.
  virtual void start() = 0;
  /// Ends the announcement. Must be called once. `done` is called once: when clients have had time to notice, at
  /// `deadline` at the latest, and maybe inside this function. It may destroy this object.
  virtual void withdraw(base::TimePoint deadline, std::function<void()> done) = 0;
};

}  // namespace trunkline::server
