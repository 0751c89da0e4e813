// SPDX-License-Identifier: MIT
// SnappyCompressor: raw blocks, whose length of output is checked before decompression.
#include <compression/snappy_compressor.h>

#include <compression/compression_error.h>
#include <compression/snappy_frames.h>

#include <snappy.h>

#include <limits>

namespace trunkline::compression {

Status SnappyCompressor::compress(ByteSpan input, BufferWriter& out) const {
  constexpr std::size_t limit = std::numeric_limits<std::uint32_t>::max();
  if (input.size() > limit) return input_too_long(name(), input.size(), limit);
  MutableByteSpan room = out.prepare(snappy::MaxCompressedLength(input.size()));
  std::size_t written = 0;
  snappy::RawCompress(as_text(input).data(), input.size(), reinterpret_cast<char*>(room.data()), &written);
  out.advance(written);
  return Status::ok();
}

Status SnappyCompressor::decompress(ByteSpan input, MutableByteSpan out) const {
  const std::string_view text = as_text(input);
  std::size_t length = 0;
  // RawUncompress writes as many bytes as the block announces, so that number is checked first.
  if (!snappy::GetUncompressedLength(text.data(), text.size(), &length) || length != out.size()) {
    return corrupt(name(), input.size(), out.size());
  }
  std::byte nothing{};
  auto* target = reinterpret_cast<char*>(out.empty() ? &nothing : out.data());
  if (!snappy::RawUncompress(text.data(), text.size(), target)) return corrupt(name(), input.size(), out.size());
  return Status::ok();
}

/// Decompresses. Three bytes of a block make 64 at most: no memory is taken for a size that claims more.
Status SnappyCompressor::append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const {
  constexpr std::size_t max_ratio = 22;
  if (size / max_ratio > input.size()) return corrupt(name(), input.size(), size);
  return Compressor::append_decompressed(input, size, out);
}

Status SnappyCompressor::compress_unsized(ByteSpan input, BufferWriter& out) const {
  SnappyFrames::compress(input, out);
  return {};
}

Status SnappyCompressor::decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const {
  return SnappyFrames::decompress(input, limit, out);
}

}  // namespace trunkline::compression
