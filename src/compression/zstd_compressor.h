// SPDX-License-Identifier: MIT
// ZstdCompressor: one zstd frame (RFC 8878) without a dictionary, at level 1; where sizes are not transmitted, any
// number of frames.
#pragma once

#include <trunkline/compressor.h>

namespace trunkline::compression {

class ZstdCompressor final : public Compressor {
 public:
  std::string_view name() const noexcept override { return "zstd"; }
  Status compress(ByteSpan input, BufferWriter& out) const override;
  Status decompress(ByteSpan input, MutableByteSpan out) const override;
  Status append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const override;
  bool has_unsized_form() const noexcept override { return true; }
  Status decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const override;
};

}  // namespace trunkline::compression
