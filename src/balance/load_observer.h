// SPDX-License-Identifier: MIT
// LoadObserver: hears when what is measured of a server changes.
#pragma once

namespace trunkline::balance {

class ServerLoad;

class LoadObserver {
 public:
  /// `open_calls`: how many more calls are open than before: 1, 0 or -1.
  virtual void load_changed(ServerLoad& server, int open_calls) = 0;

 protected:
  ~LoadObserver() = default;
};

}  // namespace trunkline::balance
