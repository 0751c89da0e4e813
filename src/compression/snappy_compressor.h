// SPDX-License-Identifier: MIT
// SnappyCompressor: raw snappy blocks.
#pragma once

#include <trunkline/compressor.h>

namespace trunkline::compression {

class SnappyCompressor final : public Compressor {
 public:
  std::string_view name() const noexcept override { return "snappy"; }
  Status compress(ByteSpan input, BufferWriter& out) const override;
  Status decompress(ByteSpan input, MutableByteSpan out) const override;
  Status append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const override;
};

}  // namespace trunkline::compression
