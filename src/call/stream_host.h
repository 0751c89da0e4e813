// SPDX-License-Identifier: MIT
// StreamHost: the loop of a stream. StreamLink: the connection of a stream.
#pragma once

#include "call/completion_queue.h"
#include "call/wait_point.h"
#include "session/session.h"

#include <functional>

namespace trunkline::call {

/// The loop, as a stream sees it. Channels and the loops of servers implement it.
class StreamHost {
 public:
  virtual ~StreamHost() = default;
  /// Returns true on the thread that runs the loop. Any thread may call it.
  virtual bool is_on_loop() const noexcept = 0;
  /// Returns true once the loop has gone, which this object may outlive: nothing can be begun then, and tasks that are
  /// posted do not run. Any thread may call it.
  virtual bool has_no_loop() const noexcept { return false; }
  /// Ensures that a thread runs the loop for an operation that no thread waits for. The error says why none can. Any
  /// thread may call it.
  virtual Status ensure_runner() { return {}; }
  /// Completes an operation that never reaches the loop, on any thread, inside the function that begins it.
  virtual void complete_unbegun(detail::StreamOperation& operation) { operation.complete(operation); }
  /// Runs `task` on the loop's thread. Any thread may call it. A task that does not run is destroyed here.
  virtual void post(std::function<void()> task) = 0;
  /// Runs `begin` on the loop's thread, and then waits until `done` is signalled. Returns false if this thread cannot
  /// wait, as the loop would stand still: then `begin` has not run. This implementation posts and waits.
  virtual bool block(WaitPoint& done, const std::function<void()>& begin);
  /// Blocks as block() does for an operation, whose `complete` is replaced. This implementation uses block().
  virtual bool run(detail::StreamOperation& operation, const std::function<void()>& begin);
  /// Returns the queue of ended operations. Only the loop's thread calls it.
  virtual CompletionQueue& completions() noexcept = 0;
};

/// The connection, as a stream sees it. Only the loop's thread uses it.
class StreamLink {
 public:
  virtual ~StreamLink() = default;
  /// Returns the session; null once the connection is gone.
  virtual session::Session* session() noexcept = 0;
  /// Tells the connection that the session has been given something to send, or credit to return.
  virtual void flush() = 0;
};

}  // namespace trunkline::call
