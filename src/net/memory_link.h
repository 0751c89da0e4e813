// SPDX-License-Identifier: MIT
// MemoryLink: what the two ends of an in-memory connection share.
#pragma once

#include "net/byte_ring.h"
#include "net/memory_transport.h"

#include <array>
#include <memory>
#include <mutex>

namespace trunkline::net {

/// One end as its loop sees it. Everything but the constructor is for that loop's thread.
class MemoryTransport final : public Transport {
 public:
  MemoryTransport(std::shared_ptr<MemoryEnd::Link> link, std::size_t side, Loop& loop, PeerInfo peer);
  ~MemoryTransport() override { close(); }

  void set_observer(TransportObserver* observer) noexcept override { observer_ = observer; }
  IoResult read(std::span<const MutableByteSpan> into) override;
  IoResult write(std::span<const ByteSpan> from) override;
  void wait_readable() override;
  void wait_writable() override;
  void shutdown_send() override;
  void close() override;
  const PeerInfo& peer() const noexcept override { return peer_; }
  Loop& loop() const noexcept override { return loop_; }

 private:
  friend class MemoryEnd::Link;
  /// Tells the observer what the link has noted for it.
  void deliver();

  std::shared_ptr<MemoryEnd::Link> link_;
  const std::size_t side_;
  Loop& loop_;
  PeerInfo peer_;
  TransportObserver* observer_ = nullptr;
  Deferred delivery_;
};

/// The mutex covers all of it; an open side's loop is alive.
class MemoryEnd::Link : public std::enable_shared_from_this<MemoryEnd::Link> {
 public:
  /// What a side waits for, or is to be told.
  struct Interest {
    bool read = false;
    bool write = false;
  };

  struct Side {
    explicit Side(std::size_t capacity) : incoming(capacity) {}
    ByteRing incoming;
    Loop* loop = nullptr;                  ///< null until claimed
    MemoryTransport* transport = nullptr;  ///< null until claimed and after closing
    bool ended = false;                    ///< sends nothing more
    bool closed = false;
    Interest waits_for;
    Interest to_tell;
  };

  explicit Link(MemoryOptions options);
  const std::string& address() const noexcept { return options_.address; }

  std::unique_ptr<Transport> claim(std::size_t side, Loop& loop);
  IoResult read(std::size_t side, std::span<const MutableByteSpan> into);
  IoResult write(std::size_t side, std::span<const ByteSpan> from);
  void wait(std::size_t side, Interest interest);
  void shutdown_send(std::size_t side);
  void close(std::size_t side);
  /// What `side` is to be told, once.
  Interest take_news(std::size_t side);

 private:
  /// Carries a wake-up to another loop and keeps the link meanwhile.
  struct Wake : Task {
    std::shared_ptr<Link> keep;
    std::size_t side = 0;
  };

  Side& peer_of(std::size_t side) noexcept { return sides_[1 - side]; }
  bool is_readable(std::size_t side) noexcept;
  bool is_writable(std::size_t side) noexcept;
  void notify(std::size_t side);
  void schedule(std::size_t side, bool same_loop);
  void woken(std::size_t side);
  std::shared_ptr<Link> end_wake(std::size_t side);

  const MemoryOptions options_;
  std::mutex mutex_;
  std::array<Side, 2> sides_;
  std::array<Wake, 2> wakes_;
};

}  // namespace trunkline::net
