// SPDX-License-Identifier: MIT
// Refuses and skips frames, and waits for the rest of incomplete ones.
#include "session/native/frame_decoder.h"

#include "wire/preface.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace trunkline::session::native {

namespace {
/// An incomplete body at least this long is received in a block of its own instead of passing through the read buffer.
constexpr std::uint32_t direct_body_bytes = 8 * 1024;
constexpr std::size_t max_skipped_at_once = 16 * 1024;
}  // namespace

Status frame_before_hello() { return {StatusCode::internal, "handshake: a frame came before hello"}; }

FrameDecoder::FrameDecoder(wire::Sender sender, const ConnectionLimits& limits, const ReceiveCredit& credit,
                           UnchargedLimit& uncharged) noexcept
    : limits_(limits), credit_(credit), uncharged_(uncharged), input_(limits.read_buffer_bytes), sender_(sender) {
  input_.need(wire::preface.size());
}

FrameDecoder::Outcome FrameDecoder::need(std::size_t size) noexcept {
  input_.need(size);
  return Outcome::needs_input;
}

FrameDecoder::Outcome FrameDecoder::fail(Status error) {
  error_ = std::move(error);
  return Outcome::failed;
}

FrameDecoder::Preface FrameDecoder::read_preface() {
  const std::size_t size = std::min(input_.size(), wire::preface.size());
  if (size > 0 && std::memcmp(input_.data(), wire::preface.data(), size) != 0) return Preface::differs;
  if (size < wire::preface.size()) return Preface::incomplete;
  input_.consume(size);
  return Preface::matches;
}

FrameDecoder::Outcome FrameDecoder::next_checked(Frame& frame) {
  if (state_ == State::in_body) return finish_body(frame);
  if (state_ == State::skipping && skip() == Outcome::needs_input) return Outcome::needs_input;
  while (true) {
    if (input_.size() < wire::header_bytes) return need(wire::header_bytes);
    frame.header = wire::read_header(input_.data());
    Status why;
    const wire::FrameVerdict verdict = wire::check_header(frame.header, sender_, why);
    if (verdict == wire::FrameVerdict::refuse || !wire::check_length(frame.header, limits_.max_frame_bytes, why))
      return fail(std::move(why));
    if (is_before_hello_ && frame.header.type != wire::FrameType::hello &&
        frame.header.type != wire::FrameType::goaway) {
      return fail(frame_before_hello());
    }
    if (verdict == wire::FrameVerdict::accept) {
      frame.header.flags &= static_cast<std::uint8_t>(~wire::flag::ignorable);
      break;
    }
    if (!uncharged_.add()) return fail(uncharged_.error());
    state_ = State::skipping;
    skip_bytes_ = wire::header_bytes + std::size_t{frame.header.length};
    if (skip() == Outcome::needs_input) return Outcome::needs_input;
  }
  if (input_.size() - wire::header_bytes < frame.header.length) return wait_for_body(frame);
  take_buffered(frame);
  return Outcome::frame;
}

/// Returns needs_input until the whole frame has been skipped.
FrameDecoder::Outcome FrameDecoder::skip() {
  const std::size_t part = std::min(skip_bytes_, input_.size());
  input_.consume(part);
  skip_bytes_ -= part;
  if (skip_bytes_ > 0) return need(std::min(skip_bytes_, max_skipped_at_once));
  state_ = State::at_header;
  return Outcome::frame;
}

FrameDecoder::Outcome FrameDecoder::wait_for_body(Frame& frame) {
  const wire::FrameHeader& header = frame.header;
  const std::size_t whole = wire::header_bytes + std::size_t{header.length};
  if (header.length < direct_body_bytes) return need(whole);
  // No memory is taken for what the peer may not send.
  if (!is_charged(header)) {
    const std::size_t longest = wire::block_size_bytes + std::size_t{limits_.max_header_bytes};
    if (header.type != wire::FrameType::finish || header.length <= longest) return need(whole);
    return fail(Status(StatusCode::resource_exhausted, "receive frame: length " + std::to_string(header.length) +
                                                           " of a finish without message exceeds max_header_bytes " +
                                                           std::to_string(limits_.max_header_bytes)));
  }
  if (credit_.left() < static_cast<std::int64_t>(whole)) {
    return fail(Status(StatusCode::resource_exhausted, "receive frame: length " + std::to_string(header.length) +
                                                           " exceeds the credit left of connection_credit_bytes " +
                                                           std::to_string(limits_.connection_credit_bytes)));
  }
  release_body();
  body_header_ = header;
  body_block_ = Block::allocate(header.length);
  state_ = State::in_body;
  input_.consume(wire::header_bytes);
  input_.expect_body(body_block_->data(), header.length);
  return finish_body(frame);
}

FrameDecoder::Outcome FrameDecoder::finish_body(Frame& frame) {
  if (input_.body_missing() > 0) return Outcome::needs_input;
  state_ = State::at_header;
  frame = {body_header_, {body_block_->data(), body_header_.length}, body_block_};
  return Outcome::frame;
}

}  // namespace trunkline::session::native
