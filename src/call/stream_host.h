// SPDX-License-Identifier: MIT
// StreamHost and StreamLink: what a stream asks of the loop and of the connection it lives on.
#pragma once

#include "call/completion_queue.h"
#include "call/wait_point.h"
#include "session/session.h"

#include <functional>

namespace trunkline::call {

class StreamHost {
 public:
  virtual ~StreamHost() = default;
  /// Any thread.
  virtual bool is_on_loop() const noexcept = 0;
  /// Any thread. Sees to it that somebody runs the loop for an operation that is not waited for; the error is why
  /// nobody does.
  virtual Status ensure_runner() { return {}; }
  /// Any thread; for an operation that never gets to the loop. Inside what begins it.
  virtual void complete_unbegun(StreamOperation& operation) { operation.complete(operation); }
  /// Any thread; runs `task` on the loop's.
  virtual void post(std::function<void()> task) = 0;
  /// Has `begin` run on the loop's thread, then waits until `done` is signalled. False if this thread cannot wait,
  /// because the loop would stand still meanwhile; then `begin` has not run. Here: posts and waits.
  virtual bool block(WaitPoint& done, const std::function<void()>& begin);
  /// The same for an operation, whose `complete` is set for that. Here: by block().
  virtual bool run(StreamOperation& operation, const std::function<void()>& begin);
  /// Loop's thread.
  virtual CompletionQueue& completions() noexcept = 0;
};

/// Loop's thread only.
class StreamLink {
 public:
  virtual ~StreamLink() = default;
  /// Null once the connection is gone.
  virtual session::Session* session() noexcept = 0;
  /// The session was given something to send, or credit to return.
  virtual void flush() = 0;
};

}  // namespace trunkline::call
