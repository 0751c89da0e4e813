// SPDX-License-Identifier: MIT
// FrameDecoder: turns bytes from the transport into whole frames (docs/wire.md, sections 1 and 2).
#pragma once

#include "base/receive_buffer.h"
#include "session/native/receive_credit.h"
#include "session/native/uncharged_limit.h"
#include "wire/frame.h"

#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace trunkline::session::native {

/// Holds a frame that keeps the rules of its type.
struct Frame {
  wire::FrameHeader header;
  ByteSpan body;
  /// The block owns the body, and may be null if that is empty.
  Block* block = nullptr;
};

/// The decoder skips frames that may be skipped. A long body of which only a part has come is received in a block of
/// its own, without a copy, but never one for which the peer has no credit.
class FrameDecoder {
 public:
  enum class Outcome : std::uint8_t {
    frame,
    /// The next frame is incomplete.
    needs_input,
    /// error() says what is wrong with the input. Nothing more can be decoded.
    failed,
  };
  enum class Preface : std::uint8_t { matches, differs, incomplete };

  /// Frames come from `sender`. The references outlive the object.
  FrameDecoder(wire::Sender sender, const ConnectionLimits& limits, const ReceiveCredit& credit,
               UnchargedLimit& uncharged) noexcept;
  ~FrameDecoder() {
    if (body_block_ != nullptr) body_block_->release();
  }
  FrameDecoder(const FrameDecoder&) = delete;
  FrameDecoder& operator=(const FrameDecoder&) = delete;

  base::ReceiveBuffer& input() noexcept { return input_; }
  const base::ReceiveBuffer& input() const noexcept { return input_; }

  /// Consumes the peer's preface if it has come whole and matches.
  Preface read_preface();
  /// The peer's hello has been read: other frames may follow.
  void accept_all_frames() noexcept { is_before_hello_ = false; }
  /// Views of the frame are valid until the next call, release_body() or input().prepare().
  Outcome next(Frame& frame) {
    if (state_ == State::at_header && input_.size() >= wire::header_bytes && !is_before_hello_) [[likely]] {
      frame.header = wire::read_header(input_.data());
      if (input_.size() - wire::header_bytes >= frame.header.length &&
          wire::frame_rules::is_valid_call_frame(frame.header, sender_) &&
          frame.header.length <= limits_.max_frame_bytes) [[likely]] {
        take_buffered(frame);
        return Outcome::frame;
      }
    }
    return next_checked(frame);
  }
  const Status& error() const noexcept { return error_; }
  /// Frees the block of the last frame's body if it had one of its own.
  void release_body() noexcept {
    if (body_block_ != nullptr && state_ != State::in_body) std::exchange(body_block_, nullptr)->release();
  }
  /// Returns the memory of frames that are incomplete. A long body counts with what has come of it: untouched pages are
  /// no memory yet, and a peer must not use up memory by what it only announces.
  std::size_t held_bytes() const noexcept {
    const std::size_t buffered = input_.block() != nullptr ? input_.block()->capacity() : 0;
    if (body_block_ == nullptr) return buffered;
    return buffered + (is_in_body() ? partial_bytes() : body_block_->capacity());
  }
  /// A part of a long frame has come, and a block for its body has been taken.
  bool is_in_body() const noexcept { return state_ == State::in_body; }
  /// While is_in_body(), these return the header of the frame, and how much of its body has come.
  const wire::FrameHeader& body_header() const noexcept { return body_header_; }
  std::size_t partial_bytes() const noexcept { return body_header_.length - input_.body_missing(); }
  /// A part of a frame has come.
  bool is_amid_frame() const noexcept { return input_.size() > 0 || state_ != State::at_header; }

 private:
  enum class State : std::uint8_t { at_header, in_body, skipping };

  void take_buffered(Frame& frame) noexcept {
    frame.body = {input_.data() + wire::header_bytes, frame.header.length};
    frame.block = input_.block();
    input_.consume(wire::header_bytes + frame.body.size());
  }
  Outcome next_checked(Frame& frame);
  Outcome wait_for_body(Frame& frame);
  Outcome finish_body(Frame& frame);
  Outcome skip();
  Outcome need(std::size_t size) noexcept;
  Outcome fail(Status error);

  const ConnectionLimits& limits_;
  const ReceiveCredit& credit_;
  /// Counts skipped frames, which nobody else sees.
  UnchargedLimit& uncharged_;
  base::ReceiveBuffer input_;
  const wire::Sender sender_;
  State state_ = State::at_header;
  bool is_before_hello_ = true;
  /// This many bytes of an unknown frame are still to be skipped.
  std::size_t skip_bytes_ = 0;
  /// This is the header of a frame whose body is received in place.
  wire::FrameHeader body_header_{};
  Block* body_block_ = nullptr;
  Status error_;
};

/// Returns true for frames that cost connection credit (docs/wire.md, section 8).
constexpr bool is_charged(const wire::FrameHeader& header) noexcept {
  return header.type == wire::FrameType::call || header.type == wire::FrameType::message ||
         (header.type == wire::FrameType::finish && header.has(wire::flag::message));
}

/// Returns what a charged frame costs.
constexpr std::uint32_t cost_of(const wire::FrameHeader& header) noexcept {
  return static_cast<std::uint32_t>(wire::header_bytes) + header.length;
}

/// Returns the error of a frame that came too early.
Status frame_before_hello();

}  // namespace trunkline::session::native
