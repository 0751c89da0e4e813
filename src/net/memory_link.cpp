// SPDX-License-Identifier: MIT
// MemoryLink: moves bytes between the ends, and wakes the end that waits for them.
#include "net/memory_link.h"

#include <string_view>
#include <utility>

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

MemoryLink::MemoryLink(std::size_t buffer_bytes, std::string address)
    : address_(std::move(address)), sides_{Side(buffer_bytes), Side(buffer_bytes)} {
  for (std::size_t side = 0; side < wakes_.size(); ++side) {
    wakes_[side].side = side;
    wakes_[side].run = [](PostedTask* task) {
      const Wake& wake = *static_cast<Wake*>(task);
      wake.keep->woken(wake.side);
    };
    wakes_[side].drop = [](PostedTask* task) {
      const Wake& wake = *static_cast<Wake*>(task);
      const std::shared_ptr<MemoryLink> link = wake.keep->end_wake(wake.side);
    };
  }
}

void MemoryLink::claim(std::size_t side, Loop& loop, MemoryLinkEnd& end) {
  const std::lock_guard lock(mutex_);
  sides_[side].loop = &loop;
  sides_[side].end = &end;
}

bool MemoryLink::is_readable(std::size_t side) noexcept {
  return !sides_[side].incoming.empty() || peer_of(side).ended || peer_of(side).closed;
}

bool MemoryLink::is_writable(std::size_t side) noexcept {
  return !peer_of(side).incoming.full() || peer_of(side).closed || sides_[side].ended;
}

IoResult MemoryLink::read(std::size_t side, std::span<const MutableByteSpan> into) {
  const std::lock_guard lock(mutex_);
  const std::size_t count = sides_[side].incoming.read(into);
  if (count > 0) {
    notify(1 - side);
    return {IoState::ok, count, {}};
  }
  return {peer_of(side).ended || peer_of(side).closed ? IoState::end_of_stream : IoState::would_block, 0, {}};
}

IoResult MemoryLink::write(std::size_t side, std::span<const ByteSpan> from) {
  const std::lock_guard lock(mutex_);
  if (sides_[side].ended) return broken(address_, "the sending side is shut down");
  if (peer_of(side).closed) return broken(address_, "closed by the peer");
  const std::size_t count = peer_of(side).incoming.write(from);
  if (count == 0 && total_size(from) > 0) return {IoState::would_block, 0, {}};
  notify(1 - side);
  return {IoState::ok, count, {}};
}

void MemoryLink::wait(std::size_t side, Events events) {
  const std::lock_guard lock(mutex_);
  Side& own = sides_[side];
  if (own.closed) return;
  own.awaited.read |= events.read;
  own.awaited.write |= events.write;
  const Events before = own.ready;
  own.ready.read |= own.awaited.read && is_readable(side);
  own.ready.write |= own.awaited.write && is_writable(side);
  if (own.ready.read != before.read || own.ready.write != before.write) schedule(side, true);
}

void MemoryLink::shutdown_send(std::size_t side) {
  const std::lock_guard lock(mutex_);
  sides_[side].ended = true;
  notify(1 - side);
}

void MemoryLink::close(std::size_t side) {
  const std::lock_guard lock(mutex_);
  Side& own = sides_[side];
  if (own.closed) return;
  own.closed = own.ended = true;
  own.end = nullptr;
  own.incoming.clear();
  notify(1 - side);
}

bool MemoryLink::is_peer_closed(std::size_t side) {
  const std::lock_guard lock(mutex_);
  return peer_of(side).closed;
}

MemoryLink::Events MemoryLink::take_ready(std::size_t side) {
  const std::lock_guard lock(mutex_);
  Side& own = sides_[side];
  const Events ready = std::exchange(own.ready, {});
  own.awaited.read &= !ready.read;
  own.awaited.write &= !ready.write;
  return ready;
}

void MemoryLink::notify(std::size_t side) {
  Side& target = sides_[side];
  const Events before = target.ready;
  target.ready.read |= target.awaited.read && is_readable(side);
  target.ready.write |= target.awaited.write && is_writable(side);
  if (target.ready.read == before.read && target.ready.write == before.write) return;
  schedule(side, target.loop == peer_of(side).loop);
}

void MemoryLink::schedule(std::size_t side, bool same_loop) {
  Side& target = sides_[side];
  if (target.end == nullptr) return;
  if (same_loop) {
    target.loop->defer(target.end->delivery());
  } else if (wakes_[side].keep == nullptr) {
    wakes_[side].keep = shared_from_this();
    target.loop->post(&wakes_[side]);
  }
}

void MemoryLink::woken(std::size_t side) {
  const std::shared_ptr<MemoryLink> self = end_wake(side);
  std::unique_lock lock(mutex_);
  // The pointer is set and cleared only on the loop that runs this.
  MemoryLinkEnd* const end = sides_[side].end;
  lock.unlock();
  if (end != nullptr) end->deliver();
}

std::shared_ptr<MemoryLink> MemoryLink::end_wake(std::size_t side) {
  const std::lock_guard lock(mutex_);
  return std::move(wakes_[side].keep);
}

}  // namespace trunkline::net
