// SPDX-License-Identifier: MIT
// LoopThreads: the threads that run a server's loops.
#pragma once

#include <trunkline/status.h>

#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace trunkline::server {

/// Runs loops on threads, each of which is joined once. It is thread-safe.
class LoopThreads {
 public:
  struct Started {
    Status status;
    std::size_t threads = 0;
  };

  /// Starts a thread that calls run(index) for each index from `first` up to `end`. If the system refuses one, calls
  /// stop(index) for those started, joins them and returns resource_exhausted with how many there were.
  Started start(std::size_t first, std::size_t end, const std::function<void(std::size_t)>& run,
                const std::function<void(std::size_t)>& stop);
  /// Joins the threads. Must not be called on one of them.
  void join();

 private:
  /// Guards threads_; held while threads are started, so that join() misses none.
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

}  // namespace trunkline::server
