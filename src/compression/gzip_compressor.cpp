// SPDX-License-Identifier: MIT
// GzipCompressor: gzip as one of zlib's formats, and the size at its end.
#include <compression/gzip_compressor.h>

#include <compression/compression_error.h>

namespace trunkline::compression {

GzipCompressor::GzipCompressor() noexcept : ZlibCompressor(ZlibFormat::gzip) {}

Status GzipCompressor::decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const {
  // RFC 1952, section 2.3: a member has a header of 10 bytes or more, which begins with a magic number, and a trailer
  // of 8. The last four bytes are the size, modulo 2^32, in little-endian order: of the only member, as a rule.
  constexpr std::size_t least_bytes = 18;
  constexpr std::size_t size_bytes = 4;
  if (input.size() < least_bytes || input[0] != std::byte{0x1F} || input[1] != std::byte{0x8B}) {
    return corrupt_unsized(name(), input.size());
  }
  std::uint32_t size = 0;
  for (std::size_t i = 0; i < size_bytes; ++i)
    size = size << 8 | std::to_integer<std::uint32_t>(input[input.size() - 1 - i]);
  const std::size_t before = out.size();
  if (size <= limit && append_decompressed(input, size, out).is_ok()) return {};
  out.truncate(before);
  // The number is beyond the limit, or the size of the last of several members. Or it is none, because the input is cut
  // off or has something behind it. Only what the input really makes is too long, and to measure it takes no memory.
  std::size_t whole = 0;
  if (Status wrong = measure(input, limit, whole); !wrong.is_ok()) return wrong;
  return append_decompressed(input, whole, out);
}

}  // namespace trunkline::compression
