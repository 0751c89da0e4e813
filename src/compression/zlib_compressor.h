// SPDX-License-Identifier: MIT
// ZlibCompressor: what the compressors with deflate's data have in common.
#pragma once

#include <compression/zlib_stream.h>

#include <trunkline/compressor.h>

namespace trunkline::compression {

/// At level 1. The unsized form is the same as the other.
class ZlibCompressor : public Compressor {
 public:
  Status compress(ByteSpan input, BufferWriter& out) const override;
  Status decompress(ByteSpan input, MutableByteSpan out) const override;
  Status append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const override;
  bool has_unsized_form() const noexcept override { return true; }
  Status decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const override;

 protected:
  explicit ZlibCompressor(ZlibFormat format) noexcept : format_(format) {}

 private:
  const ZlibFormat format_;
};

}  // namespace trunkline::compression
