// SPDX-License-Identifier: MIT
// The in-memory connection.
#include "net/memory_transport.h"

#include "net/memory_link.h"

namespace trunkline::net {

namespace {

IoResult broken(const std::string& address, std::string_view why) {
  return {IoState::failed, 0,
          Status(StatusCode::unavailable, "write to " + address + ": " + std::string(why), StatusOrigin::transport)};
}

template <class Span>
std::size_t total_size(std::span<const Span> spans) noexcept {
  std::size_t total = 0;
  for (const Span& span : spans) total += span.size();
  return total;
}

}  // namespace

MemoryEnd::Link::Link(MemoryOptions options)
    : options_(std::move(options)), sides_{Side(options_.buffer_bytes), Side(options_.buffer_bytes)} {
  for (std::size_t side = 0; side < wakes_.size(); ++side) {
    wakes_[side].side = side;
    wakes_[side].run = [](Task* task) {
      const Wake& wake = *static_cast<Wake*>(task);
      wake.keep->woken(wake.side);
    };
    wakes_[side].drop = [](Task* task) {
      const Wake& wake = *static_cast<Wake*>(task);
      const std::shared_ptr<Link> link = wake.keep->end_wake(wake.side);
    };
  }
}

std::unique_ptr<Transport> MemoryEnd::Link::claim(std::size_t side, Loop& loop) {
  PeerInfo peer;
  peer.address = peer.local_address = options_.address;
  auto transport = std::make_unique<MemoryTransport>(shared_from_this(), side, loop, std::move(peer));
  const std::lock_guard lock(mutex_);
  sides_[side].loop = &loop;
  sides_[side].transport = transport.get();
  return transport;
}

bool MemoryEnd::Link::is_readable(std::size_t side) noexcept {
  return !sides_[side].incoming.empty() || peer_of(side).ended || peer_of(side).closed;
}

bool MemoryEnd::Link::is_writable(std::size_t side) noexcept {
  return !peer_of(side).incoming.full() || peer_of(side).closed || sides_[side].ended;
}

IoResult MemoryEnd::Link::read(std::size_t side, std::span<const MutableByteSpan> into) {
  const std::lock_guard lock(mutex_);
  const std::size_t count = sides_[side].incoming.read(into);
  if (count > 0) {
    notify(1 - side);
    return {IoState::ok, count, {}};
  }
  return {peer_of(side).ended || peer_of(side).closed ? IoState::end_of_stream : IoState::would_block, 0, {}};
}

IoResult MemoryEnd::Link::write(std::size_t side, std::span<const ByteSpan> from) {
  const std::lock_guard lock(mutex_);
  if (sides_[side].ended) return broken(options_.address, "the sending side is shut down");
  if (peer_of(side).closed) return broken(options_.address, "closed by the peer");
  const std::size_t count = peer_of(side).incoming.write(from);
  if (count == 0 && total_size(from) > 0) return {IoState::would_block, 0, {}};
  notify(1 - side);
  return {IoState::ok, count, {}};
}

void MemoryEnd::Link::wait(std::size_t side, Interest interest) {
  const std::lock_guard lock(mutex_);
  Side& own = sides_[side];
  if (own.closed) return;
  own.waits_for.read |= interest.read;
  own.waits_for.write |= interest.write;
  const Interest before = own.to_tell;
  own.to_tell.read |= own.waits_for.read && is_readable(side);
  own.to_tell.write |= own.waits_for.write && is_writable(side);
  if (own.to_tell.read != before.read || own.to_tell.write != before.write) schedule(side, true);
}

void MemoryEnd::Link::shutdown_send(std::size_t side) {
  const std::lock_guard lock(mutex_);
  sides_[side].ended = true;
  notify(1 - side);
}

void MemoryEnd::Link::close(std::size_t side) {
  const std::lock_guard lock(mutex_);
  Side& own = sides_[side];
  if (own.closed) return;
  own.closed = own.ended = true;
  own.transport = nullptr;
  own.incoming.clear();
  notify(1 - side);
}

MemoryEnd::Link::Interest MemoryEnd::Link::take_news(std::size_t side) {
  const std::lock_guard lock(mutex_);
  Side& own = sides_[side];
  const Interest news = std::exchange(own.to_tell, {});
  own.waits_for.read &= !news.read;
  own.waits_for.write &= !news.write;
  return news;
}

void MemoryEnd::Link::notify(std::size_t side) {
  Side& target = sides_[side];
  const Interest before = target.to_tell;
  target.to_tell.read |= target.waits_for.read && is_readable(side);
  target.to_tell.write |= target.waits_for.write && is_writable(side);
  if (target.to_tell.read == before.read && target.to_tell.write == before.write) return;
  schedule(side, target.loop == peer_of(side).loop);
}

void MemoryEnd::Link::schedule(std::size_t side, bool same_loop) {
  Side& target = sides_[side];
  if (target.transport == nullptr) return;
  if (same_loop) {
    target.loop->defer(target.transport->delivery_);
  } else if (wakes_[side].keep == nullptr) {
    wakes_[side].keep = shared_from_this();
    target.loop->post(&wakes_[side]);
  }
}

void MemoryEnd::Link::woken(std::size_t side) {
  const std::shared_ptr<Link> self = end_wake(side);
  std::unique_lock lock(mutex_);
  // Set and cleared only on the loop that runs this.
  MemoryTransport* const transport = sides_[side].transport;
  lock.unlock();
  if (transport != nullptr) transport->deliver();
}

std::shared_ptr<MemoryEnd::Link> MemoryEnd::Link::end_wake(std::size_t side) {
  const std::lock_guard lock(mutex_);
  return std::move(wakes_[side].keep);
}

MemoryTransport::MemoryTransport(std::shared_ptr<MemoryEnd::Link> link, std::size_t side, Loop& loop, PeerInfo peer)
    : link_(std::move(link)),
      side_(side),
      loop_(loop),
      peer_(std::move(peer)),
      delivery_([](void* owner) { static_cast<MemoryTransport*>(owner)->deliver(); }, this) {}

IoResult MemoryTransport::read(std::span<const MutableByteSpan> into) { return link_->read(side_, into); }
IoResult MemoryTransport::write(std::span<const ByteSpan> from) { return link_->write(side_, from); }
void MemoryTransport::wait_readable() { link_->wait(side_, {true, false}); }
void MemoryTransport::wait_writable() { link_->wait(side_, {false, true}); }
void MemoryTransport::shutdown_send() { link_->shutdown_send(side_); }

void MemoryTransport::close() {
  observer_ = nullptr;
  delivery_.cancel();
  link_->close(side_);
}

void MemoryTransport::deliver() {
  const MemoryEnd::Link::Interest news = link_->take_news(side_);
  TransportObserver* const observer = observer_;
  if (observer == nullptr) return;
  if (news.read && news.write) {
    // The first call may destroy this transport: the second goes by way of the link, which knows.
    link_->wait(side_, {false, true});
    observer->on_readable();
  } else if (news.read) {
    observer->on_readable();
  } else if (news.write) {
    observer->on_writable();
  }
}

MemoryEnd::~MemoryEnd() {
  if (link_ != nullptr) link_->close(1);
}

const std::string& MemoryEnd::address() const noexcept { return link_->address(); }

std::unique_ptr<Transport> MemoryEnd::claim(Loop& loop) { return std::exchange(link_, nullptr)->claim(1, loop); }

std::pair<std::unique_ptr<Transport>, MemoryEnd> make_memory_link(Loop& loop, const MemoryOptions& options) {
  auto link = std::make_shared<MemoryEnd::Link>(options);
  return {link->claim(0, loop), MemoryEnd(link)};
}

std::pair<std::unique_ptr<Transport>, std::unique_ptr<Transport>> make_memory_pair(Loop& first, Loop& second,
                                                                                   const MemoryOptions& options) {
  auto [transport, end] = make_memory_link(first, options);
  return {std::move(transport), end.claim(second)};
}

}  // namespace trunkline::net
