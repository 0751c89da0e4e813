// SPDX-License-Identifier: MIT
// LoopThreads: starts and joins threads.
#include "server/loop_threads.h"

#include "base/thread_name.h"

#include <exception>
#include <string>

namespace trunkline::server {

LoopThreads::Started LoopThreads::start(std::size_t first, std::size_t end, const std::function<void(std::size_t)>& run,
                                        const std::function<void(std::size_t)>& stop) {
  std::vector<std::thread> started;
  Status status;
  {
    std::lock_guard lock(mutex_);
    try {
      threads_.reserve(end - first);
      for (std::size_t i = first; i < end; ++i) {
        threads_.emplace_back([run, i] {
          base::set_thread_name("loop", i);
          run(i);
        });
      }
      return {.status = {}, .threads = end - first};
    } catch (const std::exception& error) {
      status = Status(StatusCode::resource_exhausted, "start server: thread " + std::to_string(threads_.size() + 1) +
                                                          " for loops " + std::to_string(end) + ": " + error.what());
    }
    started.swap(threads_);
  }
  for (std::size_t i = 0; i < started.size(); ++i) stop(first + i);
  for (std::thread& thread : started) thread.join();
  return {.status = std::move(status), .threads = started.size()};
}

void LoopThreads::join() {
  std::vector<std::thread> threads;
  {
    std::lock_guard lock(mutex_);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace trunkline::server
