// SPDX-License-Identifier: MIT
// Interruption: reacts to SIGINT, to SIGTERM, and to a reader of standard output that closes its end.
#pragma once

#include "cli/process/file_handle.h"

#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace trunkline::cli::process {

/// A watch on signals. Only one may exist, and it must be created while the process has one thread: it blocks the
/// signals in all threads and waits for them on a thread of its own. Before on_stop() sets an action, and at the second
/// signal, the process ends at once.
class Interruption {
 public:
  /// Starts the thread. Throws Failure if the system is out of threads or descriptors.
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Sets the action of an interruption; null: there is none. `stop` is called once, on another thread, or inside this
  /// function if the interruption has happened already.
  void on_stop(std::function<void()> stop);
  /// Sets the action before the process ends at once; null: there is none. `last` runs on another thread. It must not
  /// wait for any thread, because all of them may be blocked.
  void on_end(std::function<void()> last);
  /// Returns the exit status: 0 if nothing happened, or else 128 plus the signal (SIGPIPE for standard output).
  int exit_status() const;

 private:
  void watch();
  void interrupt(int signal);

  mutable std::mutex mutex_;
  int signal_ = 0;
  std::function<void()> stop_;
  std::function<void()> last_;
  FileHandle signals_;
  FileHandle end_;
  std::thread thread_;
};

/// A scope that sets the action of an interruption (on_stop()) for its lifetime.
class StopScope {
 public:
  StopScope(Interruption& interruption, std::function<void()> stop) : interruption_(interruption) {
    interruption_.on_stop(std::move(stop));
  }
  ~StopScope() { interruption_.on_stop(nullptr); }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  Interruption& interruption_;
};

}  // namespace trunkline::cli::process
