// SPDX-License-Identifier: MIT
// MemoryLink: the state that the two ends of an in-memory connection share.
#pragma once

#include "net/byte_ring.h"
#include "net/loop.h"
#include "net/transport.h"

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace trunkline::net {

/// The end of a link, whose functions are called on the thread of its loop.
class MemoryLinkEnd {
 public:
  virtual ~MemoryLinkEnd() = default;
  /// Called when there are ready events.
  virtual void deliver() = 0;
  /// Returns the task that calls deliver().
  virtual DeferredTask& delivery() noexcept = 0;
};

/// A link whose mutex guards everything. The loop of a side lives as long as the side is open.
class MemoryLink : public std::enable_shared_from_this<MemoryLink> {
 public:
  /// The events for which a side waits, or which are ready for it.
  struct Events {
    bool read = false;
    bool write = false;
  };

  /// Makes a link. `buffer_bytes` is the capacity in each direction; each end reports `address` as its peer's.
  MemoryLink(std::size_t buffer_bytes, std::string address);
  const std::string& address() const noexcept { return address_; }

  /// Makes `end` the end of `side`, on `loop`, until close().
  void claim(std::size_t side, Loop& loop, MemoryLinkEnd& end);
  IoResult read(std::size_t side, std::span<const MutableByteSpan> into);
  IoResult write(std::size_t side, std::span<const ByteSpan> from);
  void wait(std::size_t side, Events events);
  void shutdown_send(std::size_t side);
  void close(std::size_t side);
  bool is_peer_closed(std::size_t side);
  /// Returns the ready events of `side`, each of them once.
  Events take_ready(std::size_t side);

 private:
  struct Side {
    explicit Side(std::size_t capacity) : incoming(capacity) {}
    ByteRing incoming;
    /// The loop of the side; null until it is claimed.
    Loop* loop = nullptr;
    /// The end of the side; null until it is claimed, and after closing.
    MemoryLinkEnd* end = nullptr;
    /// True if the side sends nothing more.
    bool ended = false;
    bool closed = false;
    Events awaited;
    /// The awaited events that have occurred, and for which the observer has not been called.
    Events ready;
  };
  /// Carries a wake-up to another loop, and keeps the link alive until then.
  struct Wake : PostedTask {
    std::shared_ptr<MemoryLink> keep;
    std::size_t side = 0;
  };

  Side& peer_of(std::size_t side) noexcept { return sides_[1 - side]; }
  bool is_readable(std::size_t side) noexcept;
  bool is_writable(std::size_t side) noexcept;
  void notify(std::size_t side);
  void schedule(std::size_t side, bool same_loop);
  void woken(std::size_t side);
  std::shared_ptr<MemoryLink> end_wake(std::size_t side);

  const std::string address_;
  std::mutex mutex_;
  std::array<Side, 2> sides_;
  std::array<Wake, 2> wakes_;
};

}  // namespace trunkline::net
