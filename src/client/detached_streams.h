// SPDX-License-Identifier: MIT
// DetachedStreams: stands in for the loop of streams that have outlived their channel.
#pragma once

#include "call/completion_queue.h"
#include "client/exception_log.h"

#include <functional>
#include <mutex>

namespace trunkline::client {

/// A stream whose channel is destroyed has ended, but any number of threads may still use it, and no thread runs the
/// loop for it. The thread that uses the stream then does the work of the loop:
///
/// - A *task* is what the loop would have run, such as the beginning of a read. It reads and changes streams, and puts
///   the operations that it ends into ended(). It runs on the thread that calls run(), with the mutex held, so that no
///   two tasks run at the same time.
/// - The *handlers* of those operations run on the same thread, once the task has returned and the mutex is free. A
///   handler therefore runs on the thread that began its operation, inside the function that began it.
/// - An operation that a handler begins ends at once. Its own handler runs after the first handler has returned, so a
///   chain of handlers of any length does not nest.
/// - A task may begin an operation too, through a codec or an interceptor of the user. Such an operation waits until
///   the task has returned. If the thread blocks for it, by run_until(), it releases the mutex until the operation has
///   ended.
///
/// Why there is no deadlock: a thread that holds the mutex never locks it again and runs no handler. Of the library's
/// mutexes, a task locks at most those of its own stream and of the loop's driver, and neither is held while this one
/// is locked. But a task may also run a codec, compressor or interceptor of the user, which may wait for a lock of his,
/// such as Python's GIL. A thread that holds such a lock must therefore not call run() or run_until(), and so must not
/// use such a stream.
class DetachedStreams {
 public:
  using Task = std::function<void()>;

  /// `log` records the exceptions of tasks and handlers. It must outlive this object.
  explicit DetachedStreams(const ExceptionLog& log) noexcept : log_(log) {}
  DetachedStreams(const DetachedStreams&) = delete;
  DetachedStreams& operator=(const DetachedStreams&) = delete;

  /// Runs `task` and then the handlers of the operations that it has ended. If the calling thread is inside a task or a
  /// handler already, they run later, as described above. Any thread may call it.
  void run(Task task);
  /// Runs `task` at once. Inside a handler or a task it then runs the handlers of operations that the thread began
  /// before, in order, until `is_done()`. Any thread may call it.
  void run_until(Task task, const std::function<bool()>& is_done);
  /// Returns the operations that the running task has ended. May be called only inside a task.
  call::CompletionQueue& ended() noexcept { return ended_; }

 private:
  class Turn;
  /// Returns the innermost turn of the calling thread; null if the thread is in neither a task nor a handler.
  Turn* current_turn() const noexcept;

  const ExceptionLog& log_;
  std::mutex mutex_;
  /// The operations that have ended. The mutex guards them, and they are empty whenever that is free.
  call::CompletionQueue ended_{[](void*) {}, nullptr};
};

}  // namespace trunkline::client
