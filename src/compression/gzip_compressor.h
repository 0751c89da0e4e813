// SPDX-License-Identifier: MIT
// GzipCompressor: gzip (RFC 1952): one member, at level 1, or several that come.
#pragma once

#include <compression/zlib_compressor.h>

namespace trunkline::compression {

class GzipCompressor final : public ZlibCompressor {
 public:
  GzipCompressor() noexcept;
  std::string_view name() const noexcept override { return "gzip"; }
  /// A member ends with its size, so that memory is taken for what there is.
  Status decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const override;
};

}  // namespace trunkline::compression
