// SPDX-License-Identifier: MIT
// FrameReader: bytes to frames, with whole header blocks (RFC 9113, sections 3.4, 4 and 6.10).
#pragma once

#include "http/http2/frame_payload.h"
#include "http/http2/settings.h"

#include <trunkline/slice.h>

#include <cstddef>
#include <cstdint>

namespace trunkline::http::http2 {

/// A frame, and what it is about without padding: of HEADERS the whole block, of DATA the data. Valid until the next
/// call of FrameReader::next(), and as long as the input is.
struct Frame {
  FrameHeader header;
  ByteSpan payload;
  /// A stream error of the frame itself.
  FrameError error;
};

/// The reader of one side. It keeps no input, except for a header block that comes in several frames. Such a block is
/// limited in bytes and in frames, so that no peer can send one for ever.
class FrameReader {
 public:
  enum class Outcome : std::uint8_t { frame, needs_input, error };

  /// `peer` sends the frames. Those of a client begin with the preface.
  explicit FrameReader(std::uint32_t max_block_bytes, Sender peer = Sender::client) noexcept
      : max_block_bytes_(max_block_bytes), has_preface_(peer == Sender::server) {}

  /// Reads from the start of `input`, which holds what was not consumed before. `consumed` is how much of it is done
  /// with; of `frame`'s own bytes after it has been used. After needs_input, needed() bytes are of use.
  Outcome next(ByteSpan input, std::size_t& consumed, Frame& frame);
  const FrameError& error() const noexcept { return error_; }
  std::size_t needed() const noexcept { return needed_; }
  /// Nothing more of a preface is awaited.
  bool has_preface() const noexcept { return has_preface_; }
  /// A header block is incomplete.
  bool is_in_block() const noexcept { return block_stream_ != 0; }
  std::size_t held_bytes() const noexcept { return block_.size(); }

 private:
  static constexpr std::uint32_t max_frames_per_block = 64;

  bool read_plain(ByteSpan input, std::size_t& consumed, Frame& frame) noexcept;
  bool read_preface(ByteSpan input, std::size_t& consumed);
  Outcome take(const FrameHeader& header, ByteSpan payload, Frame& frame);
  bool add_to_block(const FrameHeader& header, ByteSpan payload, Frame& frame);
  Outcome fail(const FrameError& error) noexcept;

  const std::uint32_t max_block_bytes_;
  bool has_preface_;
  bool is_first_ = true;
  std::size_t needed_ = frame_header_bytes;
  FrameError error_;
  /// 0: no block is incomplete.
  std::uint32_t block_stream_ = 0;
  std::uint8_t block_flags_ = 0;
  std::uint32_t block_frames_ = 0;
  FrameError block_error_;
  BufferWriter block_;
};

}  // namespace trunkline::http::http2
