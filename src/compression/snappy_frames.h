// SPDX-License-Identifier: MIT
// SnappyFrames: snappy's framing format, which streams and gRPC use.
#pragma once

#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstddef>

namespace trunkline::compression {

/// Reads and writes chunks of at most 64 KiB of content with its checksum. A chunk is raw if compression does not help.
class SnappyFrames {
 public:
  /// Appends the chunks.
  static void compress(ByteSpan input, BufferWriter& out);
  /// Appends the content of the chunks in `input`, which may be empty, up to `limit` bytes. Errors: invalid_argument
  /// (corrupt), resource_exhausted (more than `limit`).
  static Status decompress(ByteSpan input, std::size_t limit, BufferWriter& out);
};

}  // namespace trunkline::compression
