// SPDX-License-Identifier: MIT
// Readiness: a non-blocking socket on a loop, and the waits for it. It pins no buffer while it waits.
#pragma once

#include "net/handler_memory.h"
#include "net/loop.h"
#include "net/transport.h"
#include "net/unique_socket.h"

#include <asio/posix/basic_stream_descriptor.hpp>

#include <memory>
#include <utility>

namespace trunkline::net {

/// Owns the socket. The observer hears of each wait once, on the loop, never after close() or set_observer(nullptr).
/// All calls come from the loop's thread. Waiting allocates nothing.
class Readiness {
 public:
  struct Releaser {
    void operator()(Readiness* readiness) const noexcept {
      readiness->close();
      readiness->release();
    }
  };
  using Pointer = std::unique_ptr<Readiness, Releaser>;

  /// `socket`, which must be non-blocking, is given up unless there is an error.
  static Result<Pointer> make(Loop& loop, UniqueSocket& socket);
  Readiness(const Readiness&) = delete;
  Readiness& operator=(const Readiness&) = delete;

  void set_observer(TransportObserver* observer) noexcept { observer_ = observer; }
  /// A second wait for the same while one is under way has no effect.
  void wait_readable();
  void wait_writable() { wait(Direction::write); }
  /// Also cancels what is waited for.
  void close() noexcept;
  bool is_open() const noexcept { return descriptor_.is_open(); }
  int socket() noexcept { return descriptor_.native_handle(); }
  Loop& loop() const noexcept { return loop_; }

 private:
  enum class Direction : std::uint8_t { read, write };
  class Handler;

  explicit Readiness(Loop& loop) : loop_(loop), descriptor_(loop.context()) {}
  ~Readiness() = default;
  void wait(Direction direction);
  void watch_reading_only();
  void ready(Direction direction);
  void retain() noexcept { ++references_; }
  void release() noexcept {
    if (--references_ == 0) delete this;
  }

  Loop& loop_;
  // Declared before the descriptor and kept by each handler: Asio's operations live in it.
  HandlerMemory memory_[2];
  asio::posix::basic_stream_descriptor<asio::io_context::executor_type> descriptor_;
  TransportObserver* observer_ = nullptr;
  std::uint32_t references_ = 1;  ///< the owner's and one for each handler under way; all on the loop's thread
  bool waiting_[2] = {false, false};
  /// Asio has been asked to watch for writing and keeps doing so.
  bool is_writing_watched_ = false;
  std::uint8_t reads_since_write_ = 0;  ///< waits for reading since the last wait for writing
};

}  // namespace trunkline::net
