// SPDX-License-Identifier: MIT
// GzipCompressor: one gzip member (RFC 1952), at level 1.
#pragma once

#include <compression/zlib_compressor.h>

namespace trunkline::compression {

class GzipCompressor final : public ZlibCompressor {
 public:
  GzipCompressor() noexcept;
  std::string_view name() const noexcept override { return "gzip"; }
  /// A member ends with its size, which bounds what is decompressed. Several members are refused as corrupt.
  Status decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const override;
};

}  // namespace trunkline::compression
