// SPDX-License-Identifier: MIT
// HeldFrames: calls that wait until the answers queued before them have become fewer, and what has come for them.
#pragma once

#include "wire/frame.h"

#include <trunkline/slice.h>

#include <cstddef>
#include <deque>
#include <vector>

namespace trunkline::session {

struct HeldFrame {
  wire::FrameHeader header;
  Slice body;
};

/// Calls in order, each followed by its own frames. Small bodies are packed into blocks of their own, so that a few
/// bytes never keep a whole read buffer alive: what is held takes little more memory than it cost credit.
class HeldFrames {
 public:
  HeldFrames() = default;
  ~HeldFrames() { clear(); }
  HeldFrames(const HeldFrames&) = delete;
  HeldFrames& operator=(const HeldFrames&) = delete;

  bool empty() const noexcept { return calls_.empty() && !has_rest(); }
  /// Frames of the call popped last are left: those need not wait any more.
  bool has_rest() const noexcept { return rest_taken_ < rest_.size(); }
  bool has_call(std::uint32_t id) const noexcept { return find(id) < calls_.size(); }
  /// A call frame, or another one of a call that is held. `block` keeps `body` alive; it may be null if body is empty.
  void push(const wire::FrameHeader& header, ByteSpan body, Block* block);
  HeldFrame pop() noexcept;
  void clear() noexcept;

  /// Frames that cost no credit, which therefore need a limit of their own.
  std::size_t uncharged() const noexcept { return uncharged_; }
  std::size_t calls() const noexcept { return calls_.size(); }

 private:
  struct HeldCall {
    HeldFrame frame;
    std::vector<HeldFrame> rest;
  };

  /// Its place, calls_.size() if it is not there.
  std::size_t find(std::uint32_t id) const noexcept;
  Slice keep(ByteSpan body, Block* block);
  Slice pack(ByteSpan body);

  std::deque<HeldCall> calls_;
  std::vector<HeldFrame> rest_;  ///< of the call popped last
  std::size_t rest_taken_ = 0;
  std::size_t uncharged_ = 0;
  Block* pack_block_ = nullptr;
  std::size_t pack_used_ = 0;
};

}  // namespace trunkline::session
