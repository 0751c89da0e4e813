// SPDX-License-Identifier: MIT
// Packs deferred frames, and keeps their order.
#include "session/native/deferred_calls.h"

#include <algorithm>

namespace trunkline::session::native {

namespace {
constexpr std::size_t pack_bytes = 16 * 1024;
/// Bodies from this size on retain the block in which they were received.
constexpr std::size_t small_bytes = 4 * 1024;

constexpr bool is_uncharged(wire::FrameType type) noexcept {
  return type == wire::FrameType::cancel || type == wire::FrameType::credit;
}
}  // namespace

Slice DeferredCalls::pack(ByteSpan body) {
  if (body.empty()) return {};
  if (pack_block_ == nullptr || pack_block_->capacity() - pack_used_ < body.size()) {
    if (pack_block_ != nullptr) pack_block_->release();
    pack_block_ = Block::allocate(pack_bytes);
    pack_used_ = 0;
  }
  std::byte* at = pack_block_->data() + pack_used_;
  std::memcpy(at, body.data(), body.size());
  pack_used_ += body.size();
  return Slice::share(pack_block_, at, body.size());
}

Slice DeferredCalls::retain(ByteSpan body, Block* block) {
  if (body.size() < small_bytes) return pack(body);
  const bool fills_block = block != nullptr && block->capacity() / 4 <= body.size();
  return fills_block ? Slice::share(block, body.data(), body.size()) : Slice::copy_of(body);
}

/// Ids rise modulo 2^32, so they are sorted by their distance from the first.
std::size_t DeferredCalls::find(std::uint32_t id) const noexcept {
  if (calls_.empty()) return 0;
  const std::uint32_t first = calls_.front().frame.header.call;
  const auto at =
      std::lower_bound(calls_.begin(), calls_.end(), id, [first](const DeferredCall& call, std::uint32_t wanted) {
        return call.frame.header.call - first < wanted - first;
      });
  const bool is_found = at != calls_.end() && at->frame.header.call == id;
  return is_found ? static_cast<std::size_t>(at - calls_.begin()) : calls_.size();
}

void DeferredCalls::push(const wire::FrameHeader& header, ByteSpan body, Block* block) {
  if (header.type == wire::FrameType::call) {
    calls_.push_back({{header, retain(body, block)}, {}});
    return;
  }
  if (is_uncharged(header.type)) ++uncharged_;
  calls_[find(header.call)].rest.push_back({header, retain(body, block)});
  ++rest_frames_;
}

DeferredFrame DeferredCalls::pop() noexcept {
  DeferredFrame frame;
  if (has_rest()) {
    frame = std::move(rest_[rest_taken_++]);
    if (is_uncharged(frame.header.type)) --uncharged_;
  } else {
    frame = std::move(calls_.front().frame);
    rest_ = std::move(calls_.front().rest);
    rest_frames_ -= rest_.size();
    rest_taken_ = 0;
    calls_.pop_front();
  }
  if (empty()) clear();
  return frame;
}

void DeferredCalls::clear() noexcept {
  std::deque<DeferredCall>().swap(calls_);
  std::vector<DeferredFrame>().swap(rest_);
  rest_taken_ = rest_frames_ = uncharged_ = 0;
  if (pack_block_ != nullptr) pack_block_->release();
  pack_block_ = nullptr;
  pack_used_ = 0;
}

}  // namespace trunkline::session::native
