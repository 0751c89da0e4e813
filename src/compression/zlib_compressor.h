// SPDX-License-Identifier: MIT
// ZlibCompressor: the base of the compressors with deflate's data.
#pragma once

#include <compression/zlib_stream.h>

#include <trunkline/compressor.h>

namespace trunkline::compression {

/// Compresses at level 1. The unsized form is the same as the other one. Input of gzip may be several members, one
/// after the other (RFC 1952, section 2.2), which decompress to the contents of all.
class ZlibCompressor : public Compressor {
 public:
  Status compress(ByteSpan input, BufferWriter& out) const override;
  Status decompress(ByteSpan input, MutableByteSpan out) const override;
  Status append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const override;
  bool has_unsized_form() const noexcept override { return true; }
  Status decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const override;

 protected:
  explicit ZlibCompressor(ZlibFormat format) noexcept : format_(format) {}

  /// Computes how much decompress_unsized() would append, without taking memory for it.
  Status measure(ByteSpan input, std::size_t limit, std::size_t& size) const;

 private:
  enum class Progress : std::uint8_t {
    /// The output has no room for all that there is.
    full,
    /// All input has been used up, and is complete.
    end,
    corrupt,
  };

  Progress fill(z_stream& stream, int flush) const;

  const ZlibFormat format_;
};

}  // namespace trunkline::compression
