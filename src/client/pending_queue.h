// SPDX-License-Identifier: MIT
// PendingQueue: calls that wait for a connection, or for room on one, in the order they came.
#pragma once

#include "client/attempt.h"

#include <functional>
#include <string>

namespace trunkline::client {

/// Loop's thread only. Does not own the attempts.
class PendingQueue {
 public:
  /// `why` tells, for the text of an expired call, what the channel is waiting for.
  PendingQueue(base::TimerWheel& timers, std::size_t limit, std::function<std::string()> why);
  ~PendingQueue();

  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }

  /// Queues the attempt until its deadline; fails it with resource_exhausted if the queue is full and its caller does
  /// not wait.
  void push(Attempt& attempt);
  Attempt& pop();
  /// True if it was queued.
  bool remove(Attempt& attempt) noexcept;
  /// Fails those that do not wait for a connection however long that takes.
  void fail_impatient(const Status& status);
  void fail_all(const Status& status);

 private:
  static void expire(Attempt& attempt);
  void append(Attempt& attempt);
  void unlink(Attempt& attempt) noexcept;

  base::TimerWheel& timers_;
  const std::size_t limit_;
  const std::function<std::string()> why_;
  Attempt* first_ = nullptr;
  Attempt* last_ = nullptr;
  std::size_t size_ = 0;
};

/// A copy of `status` whose message begins with "call METHOD: ", for errors of this side.
Status about_call(const MethodEntry& method, const Status& status);
/// "call METHOD: deadline exceeded after N ms", and what it waited for.
Status deadline_status(const MethodEntry& method, base::Duration waited, std::string_view while_doing);

}  // namespace trunkline::client
