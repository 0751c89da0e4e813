// SPDX-License-Identifier: MIT
// Announcement: tells clients where a server is.
#pragma once

#include "base/clock.h"

#include <functional>

namespace trunkline::server {

/// For the thread of the server's first loop. Its destructor withdraws nothing.
class Announcement {
 public:
  virtual ~Announcement() = default;
  /// Begins, and goes on until withdraw() or the destructor.
  virtual void start() = 0;
  /// Ends it. `done` is called once: when clients have had time to notice, at `deadline` at the latest, and maybe
  /// inside this function. It may destroy this object. Called once.
  virtual void withdraw(base::TimePoint deadline, std::function<void()> done) = 0;
};

}  // namespace trunkline::server
