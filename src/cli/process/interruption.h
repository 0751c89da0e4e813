// SPDX-License-Identifier: MIT
// Interruption: reacts to SIGINT, SIGTERM and to the loss of the reader of standard output.
#pragma once

#include "cli/process/file_handle.h"

#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace trunkline::cli::process {

/// Only one may exist, and it must be created while the process has one thread: it blocks the signals in all threads
/// and waits for them on a thread of its own. Before on_stop() sets an action, and at the second signal, the process
/// ends at once.
class Interruption {
 public:
  /// Throws Failure if the system is out of threads or descriptors.
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// `stop` is called once, on another thread, or inside this function if the interruption has already happened. Null:
  /// there is nothing to stop.
  void on_stop(std::function<void()> stop);
  /// `last` is called before the process ends at once, on another thread, while any other thread may be blocked: it
  /// must not wait for them. Null: nothing to do.
  void on_end(std::function<void()> last);
  /// The exit status: 0 if nothing happened, otherwise 128 plus the number of the signal (SIGPIPE for standard output).
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

/// Sets the action of an interruption for its own lifetime.
class Stopping {
 public:
  Stopping(Interruption& interruption, std::function<void()> stop) : interruption_(interruption) {
    interruption_.on_stop(std::move(stop));
  }
  ~Stopping() { interruption_.on_stop(nullptr); }
  Stopping(const Stopping&) = delete;
  Stopping& operator=(const Stopping&) = delete;

 private:
  Interruption& interruption_;
};

}  // namespace trunkline::cli::process
