// SPDX-License-Identifier: MIT
// ZlibStream: a z_stream that its thread keeps and uses again.
#pragma once

#include <trunkline/slice.h>

#include <zlib.h>

#include <cstdint>
#include <limits>

namespace trunkline::compression {

/// The format that surrounds deflate's data.
enum class ZlibFormat : std::uint8_t {
  /// The format of RFC 1952.
  gzip,
  /// The format of RFC 1950.
  zlib,
};

/// A stream for one direction and format, at level 1.
class ZlibStream {
 public:
  /// The greatest length of one input or output.
  static constexpr std::size_t limit = std::numeric_limits<uInt>::max();

  enum class Direction : std::uint8_t { deflating, inflating };

  ZlibStream(Direction direction, ZlibFormat format);
  ~ZlibStream();
  ZlibStream(const ZlibStream&) = delete;
  ZlibStream& operator=(const ZlibStream&) = delete;

  /// Return the streams of this thread.
  static ZlibStream& deflating(ZlibFormat format);
  static ZlibStream& inflating(ZlibFormat format);

  /// Returns the stream at the start of new data, or null if memory ran out.
  z_stream* restart();
  /// Points the stream at its input and output, neither longer than `limit`.
  void attach(ByteSpan input, MutableByteSpan out);
  /// Points the stream at further output.
  void continue_into(MutableByteSpan out);

 private:
  z_stream stream_{};
  Direction direction_;
  bool is_usable_ = false;
  Bytef nothing_ = 0;
};

}  // namespace trunkline::compression
