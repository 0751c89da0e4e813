// SPDX-License-Identifier: MIT
// FrameReader: turns bytes into frames, with whole header blocks (RFC 9113, sections 3.4, 4 and 6.10).
#pragma once

#include "http/http2/frame_payload.h"
#include "http/http2/settings.h"

#include <trunkline/slice.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace trunkline::http::http2 {

/// A frame, with its payload without padding: the whole block of HEADERS, the data of DATA. It is valid until the next
/// call of FrameReader::next(), and as long as the input is.
struct Frame {
  FrameHeader header;
  ByteSpan payload;
  /// The stream error of the frame itself, if it has one.
  FrameError error;
};

/// The reader of one side. It keeps no input, except for a header block that comes in several frames. Such a block is
/// limited in bytes and in frames, so that no peer can send one for ever. Other frames are read once they are whole.
class FrameReader {
 public:
  enum class Outcome : std::uint8_t { frame, needs_input, error };

  /// Makes a reader of the frames that `peer` sends. Those of a client begin with the preface. `max_frame_bytes` is
  /// what this side announces first as SETTINGS_MAX_FRAME_SIZE.
  explicit FrameReader(std::uint32_t max_block_bytes, Sender peer = Sender::client,
                       std::uint32_t max_frame_bytes = min_max_frame_bytes) noexcept
      : max_block_bytes_(max_block_bytes), max_frame_bytes_(max_frame_bytes), has_preface_(peer == Sender::server) {}

  /// Reads from the start of `input`, which holds the bytes not consumed before. `consumed` is how many of them are
  /// done with; `frame`'s own bytes are done with after its use. After needs_input, needed() bytes are of use.
  Outcome next(ByteSpan input, std::size_t& consumed, Frame& frame) {
    if (read_plain(input, consumed, frame)) [[likely]]
      return Outcome::frame;
    return next_checked(input, consumed, frame);
  }
  const FrameError& error() const noexcept { return error_; }
  std::size_t needed() const noexcept { return needed_; }
  /// Returns true once nothing more of a preface is awaited.
  bool has_preface() const noexcept { return has_preface_; }
  /// Returns true while a header block is incomplete.
  bool is_in_block() const noexcept { return block_stream_ != 0; }
  std::size_t held_bytes() const noexcept { return block_.size(); }
  /// Returns the limit that this side has announced.
  std::uint32_t max_frame_bytes() const noexcept { return max_frame_bytes_; }
  /// Raises the limit that this side announces. Frames may be as long at once: the peer need not say when it follows.
  void raise_max_frame_bytes(std::uint32_t bytes) noexcept { max_frame_bytes_ = std::max(max_frame_bytes_, bytes); }

 private:
  /// Returns how many frames a block may have: a sender may use a quarter of what frames may hold.
  std::uint32_t max_frames_per_block() const noexcept {
    constexpr std::uint32_t few_frames = 64;
    return few_frames + max_block_bytes_ / (min_max_frame_bytes / 4);
  }

  /// Reads the frames that nearly all are: DATA and HEADERS of a stream, whole and without padding or priority, between
  /// which there is no incomplete block. Returns false and changes nothing for any other.
  bool read_plain(ByteSpan input, std::size_t& consumed, Frame& frame) noexcept {
    if (is_first_ || block_stream_ != 0 || error_ || input.size() < frame_header_bytes) return false;
    const FrameHeader header = read_frame_header(input.data());
    const bool is_headers =
        header.type == FrameType::headers && (header.flags & ~flag::end_stream) == flag::end_headers;
    const bool is_data = header.type == FrameType::data && (header.flags & ~flag::end_stream) == 0;
    const std::uint32_t longest = is_headers ? std::min(max_frame_bytes_, max_block_bytes_) : max_frame_bytes_;
    if (!(is_headers || is_data) || header.stream == 0 || header.length > longest) return false;
    if (input.size() - frame_header_bytes < header.length) return false;
    if (block_.size() > 0) block_.clear();
    consumed = frame_header_bytes + header.length;
    frame.header = header;
    frame.payload = input.subspan(frame_header_bytes, header.length);
    frame.error = {};
    return true;
  }
  Outcome next_checked(ByteSpan input, std::size_t& consumed, Frame& frame);
  bool read_preface(ByteSpan input, std::size_t& consumed);
  Outcome take(const FrameHeader& header, ByteSpan payload, Frame& frame);
  bool add_to_block(const FrameHeader& header, ByteSpan payload, Frame& frame);
  Outcome fail(const FrameError& error) noexcept;

  const std::uint32_t max_block_bytes_;
  std::uint32_t max_frame_bytes_;
  bool has_preface_;
  bool is_first_ = true;
  std::size_t needed_ = frame_header_bytes;
  FrameError error_;
  /// The stream of the incomplete block; 0: no block is incomplete.
  std::uint32_t block_stream_ = 0;
  std::uint8_t block_flags_ = 0;
  std::uint32_t block_frames_ = 0;
  FrameError block_error_;
  BufferWriter block_;
};

}  // namespace trunkline::http::http2
