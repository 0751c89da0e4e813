// SPDX-License-Identifier: MIT
// Waiting through Asio's reactor.
#include "net/readiness.h"

#include "net/open_sockets.h"
#include "net/system_error.h"

#include <asio/post.hpp>

#include <unistd.h>

namespace trunkline::net {

namespace {

/// So many waits for reading in a row, and a socket is taken for one that need not wait to write.
constexpr std::uint8_t reads_until_quiet = 4;

}  // namespace

/// Keeps the Readiness, and with it the memory of Asio's operation, until it has been called or dropped.
class Readiness::Handler {
 public:
  using allocator_type = HandlerAllocator<void>;

  Handler(Readiness& readiness, Direction direction) noexcept : readiness_(&readiness), direction_(direction) {
    readiness.retain();
  }
  Handler(const Handler& other) noexcept : Handler(*other.readiness_, other.direction_) {}
  Handler(Handler&& other) noexcept
      : readiness_(std::exchange(other.readiness_, nullptr)), direction_(other.direction_) {}
  Handler& operator=(Handler) = delete;
  ~Handler() {
    if (readiness_ != nullptr) readiness_->release();
  }

  allocator_type get_allocator() const noexcept {
    return allocator_type(readiness_->memory_[static_cast<std::size_t>(direction_)]);
  }
  void operator()(const std::error_code& = {}) const { readiness_->ready(direction_); }

 private:
  Readiness* readiness_;
  Direction direction_;
};

Result<Readiness::Pointer> Readiness::make(Loop& loop, UniqueSocket& socket) {
  Pointer result(new Readiness(loop));
  std::error_code error;
  result->descriptor_.assign(socket.get(), error);
  if (error) return system_status("watch socket", error);
  static_cast<void>(socket.release());
  // Tells Asio what the socket is already, or it would ask the system at the first wait.
  result->descriptor_.native_non_blocking(true, error);
  return result;
}

void Readiness::close() noexcept {
  observer_ = nullptr;
  if (!descriptor_.is_open()) return;
  OpenSockets::close(descriptor_.native_handle(), [this] {
    std::error_code ignored;
    descriptor_.close(ignored);
  });
}

void Readiness::wait_readable() {
  const bool is_quiet = is_writing_watched_ && !waiting_[0] && !waiting_[1] && is_open();
  if (is_quiet && ++reads_since_write_ >= reads_until_quiet) watch_reading_only();
  wait(Direction::read);
}

/// Asio never stops to watch for writing by itself; then each wait for reading would wake the loop once for nothing, as
/// the socket is nearly always writable.
void Readiness::watch_reading_only() {
  is_writing_watched_ = false;
  const int socket = descriptor_.release();
  std::error_code error;
  descriptor_.assign(socket, error);
  if (!error) {
    descriptor_.native_non_blocking(true, error);
    return;
  }
  OpenSockets::close(socket);
  // The observer finds out by reading.
  waiting_[static_cast<std::size_t>(Direction::read)] = true;
  asio::post(loop_.context(), Handler(*this, Direction::read));
}

void Readiness::wait(Direction direction) {
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

void Readiness::ready(Direction direction) {
  waiting_[static_cast<std::size_t>(direction)] = false;
  if (observer_ == nullptr) return;
  if (direction == Direction::read) {
    observer_->on_readable();
  } else {
    observer_->on_writable();
  }
}

}  // namespace trunkline::net
