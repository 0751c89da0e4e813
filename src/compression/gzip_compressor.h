// SPDX-License-Identifier: MIT
// GzipCompressor: writes gzip (RFC 1952) of one member, at level 1, and reads several members.
#pragma once

#include <compression/zlib_compressor.h>

namespace trunkline::compression {

class GzipCompressor final : public ZlibCompressor {
 public:
  GzipCompressor() noexcept;
  std::string_view name() const noexcept override { return "gzip"; }
  /// Decompresses. A member ends with its size, so that memory is taken for what there is.
  Status decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const override;
};

}  // namespace trunkline::compression
