// SPDX-License-Identifier: MIT
// Lz4Compressor: compresses and decompresses raw blocks. The encoder's table is on the stack.
#include <compression/lz4_compressor.h>

#include <compression/compression_error.h>

#include <lz4.h>

#include <limits>

namespace trunkline::compression {

Status Lz4Compressor::compress(ByteSpan input, BufferWriter& out) const {
  constexpr std::size_t limit = LZ4_MAX_INPUT_SIZE;
  if (input.size() > limit) return input_too_long(name(), input.size(), limit);
  const int size = static_cast<int>(input.size());
  const int bound = LZ4_compressBound(size);
  MutableByteSpan room = out.prepare(static_cast<std::size_t>(bound));
  const char* source = input.empty() ? "" : as_text(input).data();
  const int written = LZ4_compress_default(source, reinterpret_cast<char*>(room.data()), size, bound);
  if (written <= 0) return compress_error(name(), "the encoder failed");
  out.advance(static_cast<std::size_t>(written));
  return Status::ok();
}

Status Lz4Compressor::decompress(ByteSpan input, MutableByteSpan out) const {
  constexpr std::size_t limit = std::numeric_limits<int>::max();
  if (input.empty() || input.size() > limit || out.size() > limit) return corrupt(name(), input.size(), out.size());
  const int written = LZ4_decompress_safe(as_text(input).data(), reinterpret_cast<char*>(out.data()),
                                          static_cast<int>(input.size()), static_cast<int>(out.size()));
  if (written < 0 || static_cast<std::size_t>(written) != out.size()) return corrupt(name(), input.size(), out.size());
  return Status::ok();
}

/// Decompresses. A byte of a block makes 255 at most: no memory is taken for a size that claims more.
Status Lz4Compressor::append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const {
  constexpr std::size_t max_ratio = 255;
  if (size / max_ratio > input.size()) return corrupt(name(), input.size(), size);
  return Compressor::append_decompressed(input, size, out);
}

}  // namespace trunkline::compression
