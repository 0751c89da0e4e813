// SPDX-License-Identifier: MIT
// FrameReader: the order of frames that needs no stream, and the assembly of header blocks.
#include "http/http2/frame_reader.h"

#include <algorithm>
#include <utility>

namespace trunkline::http::http2 {

namespace {

/// The most bytes of padding and priority in a frame of a block.
constexpr std::uint32_t most_beside_block = 1 + 255 + 5;

FrameError block_too_long() noexcept {
  return connection_error(ErrorCode::enhance_your_calm, "a header block is too long");
}

}  // namespace

FrameReader::Outcome FrameReader::next_checked(ByteSpan input, std::size_t& consumed, Frame& frame) {
  consumed = 0;
  frame = {};
  if (error_) return Outcome::error;
  if (!has_preface_ && !read_preface(input, consumed)) return error_ ? Outcome::error : Outcome::needs_input;
  if (!is_in_block()) block_.clear();
  for (;;) {
    const ByteSpan rest = input.subspan(consumed);
    needed_ = frame_header_bytes;
    if (rest.size() < frame_header_bytes) return Outcome::needs_input;
    const FrameHeader header = read_frame_header(rest.data());
    // A peer that speaks another protocol after the preface is found out before its frame is awaited.
    if (is_first_ && (header.type != FrameType::settings || header.has(flag::ack))) {
      return fail(connection_error(ErrorCode::protocol_error, "the first frame is not SETTINGS"));
    }
    const FrameError wrong = check_frame_header(header, max_frame_bytes_);
    if (wrong.scope == ErrorScope::connection) return fail(wrong);
    if (is_in_block() && (header.type != FrameType::continuation || header.stream != block_stream_)) {
      return fail(connection_error(ErrorCode::protocol_error, "a frame within a header block"));
    }
    const bool is_of_block = header.type == FrameType::headers || header.type == FrameType::continuation;
    // The length is known before the frame is awaited.
    if (is_of_block && header.length > max_block_bytes_ + most_beside_block) return fail(block_too_long());
    needed_ = frame_header_bytes + header.length;
    if (rest.size() < needed_) return Outcome::needs_input;
    is_first_ = false;
    consumed += needed_;
    frame.error = wrong;
    const Outcome outcome = take(header, rest.subspan(frame_header_bytes, header.length), frame);
    if (outcome != Outcome::needs_input) return outcome;
  }
}

bool FrameReader::read_preface(ByteSpan input, std::size_t& consumed) {
  const ByteSpan preface = as_bytes(client_preface);
  const std::size_t size = std::min(input.size(), preface.size());
  if (!std::equal(preface.begin(), preface.begin() + static_cast<std::ptrdiff_t>(size), input.begin())) {
    fail(connection_error(ErrorCode::protocol_error, "the client's preface is wrong"));
    return false;
  }
  needed_ = preface.size();
  if (size < preface.size()) return false;
  has_preface_ = true;
  consumed = preface.size();
  return true;
}

/// Takes a frame. needs_input: the frame is a part of a block that is incomplete.
FrameReader::Outcome FrameReader::take(const FrameHeader& header, ByteSpan payload, Frame& frame) {
  frame.header = header;
  frame.payload = payload;
  if (frame.error) return Outcome::frame;
  switch (header.type) {
    case FrameType::data:
      frame.error = read_data(header, payload, frame.payload);
      break;
    case FrameType::headers: {
      HeadersPayload headers;
      frame.error = read_headers(header, payload, headers);
      if (frame.error.scope == ErrorScope::connection) break;
      frame.payload = headers.fragment;
      if (headers.fragment.size() > max_block_bytes_) return fail(block_too_long());
      if (header.has(flag::end_headers)) break;
      block_stream_ = header.stream;
      block_flags_ = header.flags;
      block_frames_ = 0;
      block_error_ = frame.error;
      if (!add_to_block(header, headers.fragment, frame)) return Outcome::error;
      return Outcome::needs_input;
    }
    case FrameType::continuation:
      if (!is_in_block()) return fail(connection_error(ErrorCode::protocol_error, "CONTINUATION without a block"));
      if (!add_to_block(header, payload, frame)) return Outcome::error;
      if (is_in_block()) return Outcome::needs_input;
      break;
    default:
      break;
  }
  if (frame.error.scope == ErrorScope::connection) return fail(frame.error);
  return Outcome::frame;
}

bool FrameReader::add_to_block(const FrameHeader& header, ByteSpan payload, Frame& frame) {
  if (++block_frames_ > max_frames_per_block() || payload.size() > max_block_bytes_ - block_.size()) {
    fail(block_too_long());
    return false;
  }
  block_.append(payload);
  if (!header.has(flag::end_headers)) return true;
  frame.header = {.length = static_cast<std::uint32_t>(block_.size()),
                  .type = FrameType::headers,
                  .flags = static_cast<std::uint8_t>(block_flags_ | flag::end_headers),
                  .stream = std::exchange(block_stream_, 0)};
  frame.payload = block_.bytes();
  frame.error = block_error_;
  return true;
}

FrameReader::Outcome FrameReader::fail(const FrameError& error) noexcept {
  error_ = error;
  return Outcome::error;
}

}  // namespace trunkline::http::http2
