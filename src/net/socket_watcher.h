// SPDX-License-Identifier: MIT
// SocketWatcher: waits on a loop until a non-blocking socket is readable or writable.
#pragma once

#include "net/handler_memory.h"
#include "net/loop.h"
#include "net/transport.h"
#include "net/unique_socket.h"

#include <asio/posix/basic_stream_descriptor.hpp>

#include <memory>
#include <utility>

namespace trunkline::net {

/// Owns the socket. The observer is called once for each wait, on the loop's thread, and never after close() or
/// set_observer(nullptr). All calls come from the loop's thread. Waiting allocates nothing and needs no buffer.
class SocketWatcher {
 public:
  struct Releaser {
    void operator()(SocketWatcher* watcher) const noexcept {
      watcher->close();
      watcher->release();
    }
  };
  using Pointer = std::unique_ptr<SocketWatcher, Releaser>;

  /// Takes `socket`, which must be non-blocking, unless it returns an error.
  static Result<Pointer> make(Loop& loop, UniqueSocket& socket);
  SocketWatcher(const SocketWatcher&) = delete;
  SocketWatcher& operator=(const SocketWatcher&) = delete;

  void set_observer(TransportObserver* observer) noexcept { observer_ = observer; }
  /// Waits until the socket is readable. No effect while the same wait is pending.
  void wait_readable();
  void wait_writable() { wait(Direction::write); }
  /// Closes the socket, and cancels the pending waits.
  void close() noexcept;
  bool is_open() const noexcept { return descriptor_.is_open(); }
  int socket() noexcept { return descriptor_.native_handle(); }
  Loop& loop() const noexcept { return loop_; }

 private:
  enum class Direction : std::uint8_t { read, write };
  class Handler;

  explicit SocketWatcher(Loop& loop) : loop_(loop), descriptor_(loop.context()) {}
  ~SocketWatcher() = default;
  void wait(Direction direction);
  void watch_reading_only();
  void ready(Direction direction);
  void retain() noexcept { ++references_; }
  void release() noexcept {
    if (--references_ == 0) delete this;
  }

  Loop& loop_;
  // Asio's operations are allocated in it. It is declared before the descriptor, and each handler keeps it alive.
  HandlerMemory memory_[2];
  asio::posix::basic_stream_descriptor<asio::io_context::executor_type> descriptor_;
  TransportObserver* observer_ = nullptr;
  /// The owner's reference, and one for each pending handler. Only the loop's thread uses the count.
  std::uint32_t references_ = 1;
  /// True for a direction in which a wait is pending.
  bool waiting_[2] = {false, false};
  /// True if Asio watches the socket for writing.
  bool is_writing_watched_ = false;
  /// The number of waits for reading since the last wait for writing.
  std::uint8_t reads_since_write_ = 0;
};

}  // namespace trunkline::net
