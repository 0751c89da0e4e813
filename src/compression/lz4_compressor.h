// SPDX-License-Identifier: MIT
// Lz4Compressor: raw LZ4 blocks.
#pragma once

#include <trunkline/compressor.h>

namespace trunkline::compression {

class Lz4Compressor final : public Compressor {
 public:
  std::string_view name() const noexcept override { return "lz4"; }
  Status compress(ByteSpan input, BufferWriter& out) const override;
  Status decompress(ByteSpan input, MutableByteSpan out) const override;
  Status append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const override;
};

}  // namespace trunkline::compression
