// SPDX-License-Identifier: MIT
// ShopLoad: calls the methods of the shop for a while, so that the console has something to show.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::interop {

/// Its functions are called on one thread. The destructor ends the calls and waits for them.
class ShopLoad {
 public:
  ShopLoad() = default;
  ShopLoad(const ShopLoad&) = delete;
  ShopLoad& operator=(const ShopLoad&) = delete;
  ~ShopLoad();

  /// Calls the server at `endpoint` on four threads of its own, and returns at once.
  void begin(const std::string& endpoint, std::chrono::duration<double> time);

 private:
  void call(const std::string& endpoint, std::chrono::steady_clock::time_point end, unsigned seed) const;

  std::atomic<bool> has_ended_ = false;
  std::vector<std::thread> callers_;
};

}  // namespace trunkline::interop
