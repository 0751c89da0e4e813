// SPDX-License-Identifier: MIT
// SnappyCompressor: raw snappy blocks; where sizes are not transmitted, snappy's framing format.
#pragma once

#include <trunkline/compressor.h>

namespace trunkline::compression {

class SnappyCompressor final : public Compressor {
 public:
  std::string_view name() const noexcept override { return "snappy"; }
  Status compress(ByteSpan input, BufferWriter& out) const override;
  Status decompress(ByteSpan input, MutableByteSpan out) const override;
  Status append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const override;
  bool has_unsized_form() const noexcept override { return true; }
  Status compress_unsized(ByteSpan input, BufferWriter& out) const override;
  Status decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const override;
};

}  // namespace trunkline::compression
