// SPDX-License-Identifier: MIT
// DeferredCalls: calls that are not looked at while too many responses wait for the client, and the frames that belong
// to them.
#pragma once

#include "wire/frame.h"

#include <trunkline/slice.h>

#include <cstddef>
#include <deque>
#include <vector>

namespace trunkline::session::native {

struct DeferredFrame {
  wire::FrameHeader header;
  Slice body;
};

/// Holds calls in order, each followed by its own frames. Small bodies are packed into blocks of their own, so that a
/// few bytes never keep a whole read buffer alive: bodies take little more memory than they cost credit.
class DeferredCalls {
 public:
  DeferredCalls() = default;
  ~DeferredCalls() { clear(); }
  DeferredCalls(const DeferredCalls&) = delete;
  DeferredCalls& operator=(const DeferredCalls&) = delete;

  bool empty() const noexcept { return calls_.empty() && !has_rest(); }
  /// Frames are left of the call that was popped last. They need not wait any more.
  bool has_rest() const noexcept { return rest_taken_ < rest_.size(); }
  bool has_call(std::uint32_t id) const noexcept { return find(id) < calls_.size(); }
  /// Adds a call frame, or another frame of a call that waits. `block` owns `body`, and may be null if that is empty.
  void push(const wire::FrameHeader& header, ByteSpan body, Block* block);
  DeferredFrame pop() noexcept;
  void clear() noexcept;

  /// Returns how many frames cost no credit, which therefore need a limit of their own.
  std::size_t uncharged() const noexcept { return uncharged_; }
  std::size_t calls() const noexcept { return calls_.size(); }
  /// Returns the memory of all frames without their bodies.
  std::size_t node_bytes() const noexcept {
    return calls_.size() * sizeof(DeferredCall) + (rest_frames_ + rest_.size()) * sizeof(DeferredFrame);
  }
  /// Returns the id of the latest call, or `otherwise` if none is deferred.
  std::uint32_t newest(std::uint32_t otherwise) const noexcept {
    return calls_.empty() ? otherwise : calls_.back().frame.header.call;
  }
  /// Returns the limit of uncharged(): a call needs one cancel, and credit now and then. Credit bounds other frames.
  std::size_t max_uncharged() const noexcept { return 1024 + 4 * calls_.size(); }

 private:
  struct DeferredCall {
    DeferredFrame frame;
    std::vector<DeferredFrame> rest;
  };

  /// Returns the call's index, or calls_.size() if it is not deferred.
  std::size_t find(std::uint32_t id) const noexcept;
  Slice retain(ByteSpan body, Block* block);
  Slice pack(ByteSpan body);

  std::deque<DeferredCall> calls_;
  /// Holds the further frames of the call that was popped last.
  std::vector<DeferredFrame> rest_;
  std::size_t rest_taken_ = 0;
  /// Counts the frames in calls_ behind the first one of each call.
  std::size_t rest_frames_ = 0;
  std::size_t uncharged_ = 0;
  Block* pack_block_ = nullptr;
  std::size_t pack_used_ = 0;
};

}  // namespace trunkline::session::native
