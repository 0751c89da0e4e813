// SPDX-License-Identifier: MIT
// SocketWatcher: waits by means of Asio's reactor.
#include "net/socket_watcher.h"

#include "net/fork_safe_sockets.h"
#include "net/system_error.h"

#include <asio/post.hpp>

#include <unistd.h>

namespace trunkline::net {

namespace {

/// The number of waits for reading in a row after which writing to the socket is assumed to need no wait.
constexpr std::uint8_t reads_until_quiet = 4;

}  // namespace

/// Keeps the watcher alive, and with it the memory of Asio's operation, until it was called or destroyed.
class SocketWatcher::Handler {
 public:
  using allocator_type = HandlerAllocator<void>;

  Handler(SocketWatcher& watcher, Direction direction) noexcept : watcher_(&watcher), direction_(direction) {
    watcher.retain();
  }
  Handler(const Handler& other) noexcept : Handler(*other.watcher_, other.direction_) {}
  Handler(Handler&& other) noexcept : watcher_(std::exchange(other.watcher_, nullptr)), direction_(other.direction_) {}
  Handler& operator=(Handler) = delete;
  ~Handler() {
    if (watcher_ != nullptr) watcher_->release();
  }

  allocator_type get_allocator() const noexcept {
    return allocator_type(watcher_->memory_[static_cast<std::size_t>(direction_)]);
  }
  void operator()(const std::error_code& = {}) const { watcher_->ready(direction_); }

 private:
  SocketWatcher* watcher_;
  Direction direction_;
};

Result<SocketWatcher::Pointer> SocketWatcher::make(Loop& loop, UniqueSocket& socket) {
  if (Status opened = loop.open(); !opened.is_ok()) return opened;
  Pointer result(new SocketWatcher(loop));
  std::error_code error;
  result->descriptor_.assign(socket.get(), error);
  if (error) return system_status("watch socket", error);
  static_cast<void>(socket.release());
  // The socket is non-blocking already. Asio would otherwise make a system call to find out at the first wait.
  result->descriptor_.native_non_blocking(true, error);
  return result;
}

void SocketWatcher::close() noexcept {
  observer_ = nullptr;
  if (!descriptor_.is_open()) return;
  ForkSafeSockets::close(descriptor_.native_handle(), [this] {
    std::error_code ignored;
    descriptor_.close(ignored);
  });
}

void SocketWatcher::wait_readable() {
  const bool is_quiet = is_writing_watched_ && !waiting_[0] && !waiting_[1] && is_open();
  if (is_quiet && ++reads_since_write_ >= reads_until_quiet) watch_reading_only();
  wait(Direction::read);
}

/// Asio never stops watching for writing by itself. Since a socket is nearly always writable, each wait for reading
/// would then wake the loop once in vain.
void SocketWatcher::watch_reading_only() {
  is_writing_watched_ = false;
  const int socket = descriptor_.release();
  std::error_code error;
  descriptor_.assign(socket, error);
  if (!error) {
    descriptor_.native_non_blocking(true, error);
    return;
  }
  ForkSafeSockets::close(socket);
  // The observer learns of the error when it reads.
  waiting_[static_cast<std::size_t>(Direction::read)] = true;
  asio::post(loop_.context(), Handler(*this, Direction::read));
}

void SocketWatcher::wait(Direction direction) {
  bool& waiting = waiting_[static_cast<std::size_t>(direction)];
  if (waiting || !descriptor_.is_open()) return;
  waiting = true;
  if (direction == Direction::write) {
    is_writing_watched_ = true;
    reads_since_write_ = 0;
  }
  const auto type = direction == Direction::read ? descriptor_.wait_read : descriptor_.wait_write;
  descriptor_.async_wait(type, Handler(*this, direction));
}

void SocketWatcher::ready(Direction direction) {
  waiting_[static_cast<std::size_t>(direction)] = false;
  if (observer_ == nullptr) return;
  if (direction == Direction::read) {
    observer_->on_readable();
  } else {
    observer_->on_writable();
  }
}

}  // namespace trunkline::net
