// SPDX-License-Identifier: MIT
// BrotliCompressor: one Brotli stream (RFC 7932), at quality 1.
#pragma once

#include <trunkline/compressor.h>

namespace trunkline::compression {

/// The unsized form is the same as the other one. Decompression needs memory for the window that the sender has chosen,
/// up to 16 MiB, until it returns; the large windows that are no part of the RFC are refused.
class BrotliCompressor final : public Compressor {
 public:
  std::string_view name() const noexcept override { return "br"; }
  Status compress(ByteSpan input, BufferWriter& out) const override;
  Status decompress(ByteSpan input, MutableByteSpan out) const override;
  Status append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const override;
  bool has_unsized_form() const noexcept override { return true; }
  Status decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const override;
};

}  // namespace trunkline::compression
