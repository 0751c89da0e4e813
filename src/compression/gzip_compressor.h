// SPDX-License-Identifier: MIT
// GzipCompressor: one gzip member (RFC 1952), at level 1.
#pragma once

#include <trunkline/compressor.h>

namespace trunkline::compression {

class GzipCompressor final : public Compressor {
 public:
  std::string_view name() const noexcept override { return "gzip"; }
  Status compress(ByteSpan input, BufferWriter& out) const override;
  Status decompress(ByteSpan input, MutableByteSpan out) const override;
  Status append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const override;
};

}  // namespace trunkline::compression
