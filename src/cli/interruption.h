// SPDX-License-Identifier: MIT
// Interruption: SIGINT, SIGTERM and a standard output that nobody reads any more, told to whoever is at work.
#pragma once

#include "cli/file_handle.h"

#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace trunkline::cli {

/// One at a time, made while the process has one thread: signals are then blocked in all, and waited for in one of its
/// own. Until on_stop() is told what to do, and at the second signal, the process ends at once.
class Interruption {
 public:
  /// Throws Failure if the system has no thread or descriptor left.
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// `stop` is called once, on another thread, or in here if it has happened already. Null: nothing to stop any more.
  void on_stop(std::function<void()> stop);
  /// `last` is called before the process ends at once, on another thread and while others are stuck in anything: it
  /// must not wait for them. Null: nothing to do any more.
  void on_end(std::function<void()> last);
  /// What to end with: 0 if nothing happened, 128 and the signal's number otherwise (SIGPIPE for standard output).
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

/// What an interruption stops while it lives.
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

}  // namespace trunkline::cli
