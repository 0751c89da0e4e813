// SPDX-License-Identifier: MIT
// LoadObserver: is told when the measurements of a server change.
#pragma once

namespace trunkline::balance {

class ServerLoad;

class LoadObserver {
 public:
  /// Called with the change of the number of open calls: 1, 0 or -1.
  virtual void load_changed(ServerLoad& server, int open_calls) = 0;

 protected:
  ~LoadObserver() = default;
};

}  // namespace trunkline::balance
