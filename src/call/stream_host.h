// SPDX-License-Identifier: MIT
// StreamHost: what a stream needs of its loop. StreamLink: what it needs of its connection.
#pragma once

#include "call/completion_queue.h"
#include "call/wait_point.h"
#include "session/session.h"

#include <functional>

namespace trunkline::call {

/// Implemented by channels and by the loops of servers.
class StreamHost {
 public:
  virtual ~StreamHost() = default;
  /// True on the thread that runs the loop. Any thread.
  virtual bool is_on_loop() const noexcept = 0;
  /// Ensures that a thread runs the loop for an operation that no thread waits for. The error says why none can. Any
  /// thread.
  virtual Status ensure_runner() { return {}; }
  /// Completes an operation that never reaches the loop, inside the function that begins it. Any thread.
  virtual void complete_unbegun(detail::StreamOperation& operation) { operation.complete(operation); }
  /// Runs `task` on the loop's thread. Any thread.
  virtual void post(std::function<void()> task) = 0;
  /// Runs `begin` on the loop's thread, and then waits until `done` is signalled. False: this thread cannot wait,
  /// because the loop would stand still in the meantime, and `begin` has not run. This implementation posts and waits.
  virtual bool block(WaitPoint& done, const std::function<void()>& begin);
  /// The same for an operation, whose `complete` is replaced. This implementation uses block().
  virtual bool run(detail::StreamOperation& operation, const std::function<void()>& begin);
  /// Where ended operations go. Loop's thread.
  virtual CompletionQueue& completions() noexcept = 0;
};

/// Loop's thread only.
class StreamLink {
 public:
  virtual ~StreamLink() = default;
  /// Null once the connection is gone.
  virtual session::Session* session() noexcept = 0;
  /// Call this after giving the session something to send, or credit to return.
  virtual void flush() = 0;
};

}  // namespace trunkline::call
