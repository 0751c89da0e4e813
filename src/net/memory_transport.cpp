// SPDX-License-Identifier: MIT
// MemoryTransport: the transport of an end of a MemoryLink.
#include "net/memory_transport.h"

#include "net/memory_link.h"

namespace trunkline::net {

namespace {

/// A transport of which everything but the constructor is for the thread of its loop.
class MemoryTransport final : public Transport, private MemoryLinkEnd {
 public:
  MemoryTransport(std::shared_ptr<MemoryLink> link, std::size_t side, Loop& loop)
      : link_(std::move(link)),
        side_(side),
        loop_(loop),
        delivery_([](void* self) { static_cast<MemoryTransport*>(self)->deliver(); }, this) {
    peer_.address = peer_.local_address = link_->address();
    link_->claim(side_, loop_, *this);
  }
  ~MemoryTransport() override { close(); }

  void set_observer(TransportObserver* observer) noexcept override { observer_ = observer; }
  IoResult read(std::span<const MutableByteSpan> into) override { return link_->read(side_, into); }
  IoResult write(std::span<const ByteSpan> from) override { return link_->write(side_, from); }
  void wait_readable() override { link_->wait(side_, {true, false}); }
  void wait_writable() override { link_->wait(side_, {false, true}); }
  void shutdown_send() override { link_->shutdown_send(side_); }
  void close() override {
    observer_ = nullptr;
    delivery_.cancel();
    link_->close(side_);
  }
  bool is_peer_gone() noexcept override { return link_->is_peer_closed(side_); }
  const PeerInfo& peer() const noexcept override { return peer_; }
  Loop& loop() const noexcept override { return loop_; }

 private:
  DeferredTask& delivery() noexcept override { return delivery_; }
  /// Calls the observer for the events that the link has recorded for this side.
  void deliver() override {
    const MemoryLink::Events ready = link_->take_ready(side_);
    TransportObserver* const observer = observer_;
    if (observer == nullptr) return;
    if (ready.read && ready.write) {
      // The first call may destroy this transport. The link knows whether it has, and delivers the second event.
      link_->wait(side_, {false, true});
      observer->on_readable();
    } else if (ready.read) {
      observer->on_readable();
    } else if (ready.write) {
      observer->on_writable();
    }
  }

  const std::shared_ptr<MemoryLink> link_;
  const std::size_t side_;
  Loop& loop_;
  PeerInfo peer_;
  TransportObserver* observer_ = nullptr;
  DeferredTask delivery_;
};

}  // namespace

MemoryEnd::~MemoryEnd() {
  if (link_ != nullptr) link_->close(1);
}

const std::string& MemoryEnd::address() const noexcept { return link_->address(); }

std::unique_ptr<Transport> MemoryEnd::claim(Loop& loop) {
  return std::make_unique<MemoryTransport>(std::exchange(link_, nullptr), 1, loop);
}

std::pair<std::unique_ptr<Transport>, MemoryEnd> make_memory_link(Loop& loop, const MemoryOptions& options) {
  auto link = std::make_shared<MemoryLink>(options.buffer_bytes, options.address);
  return {std::make_unique<MemoryTransport>(link, 0, loop), MemoryEnd(link)};
}

std::pair<std::unique_ptr<Transport>, std::unique_ptr<Transport>> make_memory_pair(Loop& first, Loop& second,
                                                                                   const MemoryOptions& options) {
  auto [transport, end] = make_memory_link(first, options);
  return {std::move(transport), end.claim(second)};
}

}  // namespace trunkline::net
