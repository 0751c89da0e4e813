// SPDX-License-Identifier: MIT
// gzip as one of zlib's formats, and the size at its end.
#include <compression/gzip_compressor.h>

#include <compression/compression_error.h>

namespace trunkline::compression {

GzipCompressor::GzipCompressor() noexcept : ZlibCompressor(ZlibFormat::gzip) {}

Status GzipCompressor::decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const {
  // RFC 1952, section 2.3.1: the size, modulo 2^32, as four bytes in little-endian order.
  constexpr std::size_t size_bytes = 4;
  if (input.size() < size_bytes) return corrupt_unsized(name(), input.size());
  std::uint32_t size = 0;
  for (std::size_t i = 0; i < size_bytes; ++i)
    size = size << 8 | std::to_integer<std::uint32_t>(input[input.size() - 1 - i]);
  if (size > limit) return exceeds_limit(name(), input.size(), limit);
  return append_decompressed(input, size, out);
}

}  // namespace trunkline::compression
