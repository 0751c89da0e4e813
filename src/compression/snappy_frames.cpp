// SPDX-License-Identifier: MIT
// SnappyFrames: chunks of a byte of type, three of length, the checksum of the content, and the content.
#include <compression/snappy_frames.h>

#include <compression/compression_error.h>
#include <compression/crc32c.h>

#include <snappy.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace trunkline::compression {
namespace {

constexpr std::string_view name = "snappy";
/// The first chunk of a stream, as a whole.
constexpr std::string_view stream_identifier("\xFF\x06\x00\x00sNaPpY", 10);
constexpr std::size_t header_bytes = 4;
constexpr std::size_t checksum_bytes = 4;
constexpr std::size_t max_content_bytes = 64 << 10;

enum class ChunkType : std::uint8_t { compressed = 0x00, raw = 0x01, first_skippable = 0x80, identifier = 0xFF };

std::uint32_t checksum_of(ByteSpan content) noexcept {
  const std::uint32_t value = crc32c(content);
  return (value >> 15 | value << 17) + 0xA282EAD8;
}

void put(std::uint32_t value, std::size_t size, std::byte* out) noexcept {
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(value >> 8 * i);
}

std::uint32_t get(ByteSpan bytes) noexcept {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::to_integer<std::uint32_t>(bytes[i]) << 8 * i;
  return value;
}

void append_chunk(ByteSpan content, BufferWriter& out) {
  constexpr std::size_t before = header_bytes + checksum_bytes;
  std::byte* const at = out.prepare(before + snappy::MaxCompressedLength(content.size())).data();
  std::size_t size = 0;
  snappy::RawCompress(as_text(content).data(), content.size(), reinterpret_cast<char*>(at) + before, &size);
  const bool is_raw = size >= content.size();
  if (is_raw) {
    size = content.size();
    std::copy(content.begin(), content.end(), at + before);
  }
  at[0] = static_cast<std::byte>(is_raw ? ChunkType::raw : ChunkType::compressed);
  put(static_cast<std::uint32_t>(checksum_bytes + size), header_bytes - 1, at + 1);
  put(checksum_of(content), checksum_bytes, at + header_bytes);
  out.advance(before + size);
}

/// Appends the content of a chunk, which follows its checksum.
Status append_content(bool is_raw, ByteSpan data, std::size_t input_bytes, std::size_t limit, BufferWriter& out) {
  if (data.size() < checksum_bytes) return corrupt_unsized(name, input_bytes);
  const std::uint32_t checksum = get(data.first(checksum_bytes));
  data = data.subspan(checksum_bytes);
  const std::string_view text = as_text(data);
  std::size_t size = data.size();
  if (!is_raw && !snappy::GetUncompressedLength(text.data(), text.size(), &size)) {
    return corrupt_unsized(name, input_bytes);
  }
  if (size > max_content_bytes) return corrupt_unsized(name, input_bytes);
  if (size > limit) return exceeds_limit(name, input_bytes, limit);
  // RawUncompress fails for a null target even if nothing is to be written.
  const MutableByteSpan room = out.prepare(std::max<std::size_t>(size, 1)).first(size);
  if (is_raw) {
    std::copy(data.begin(), data.end(), room.begin());
  } else if (!snappy::RawUncompress(text.data(), text.size(), reinterpret_cast<char*>(room.data()))) {
    return corrupt_unsized(name, input_bytes);
  }
  if (checksum_of(room) != checksum) return corrupt_unsized(name, input_bytes);
  out.advance(size);
  return {};
}

}  // namespace

void SnappyFrames::compress(ByteSpan input, BufferWriter& out) {
  out.append(stream_identifier);
  while (!input.empty()) {
    const ByteSpan content = input.first(std::min(input.size(), max_content_bytes));
    append_chunk(content, out);
    input = input.subspan(content.size());
  }
}

Status SnappyFrames::decompress(ByteSpan input, std::size_t limit, BufferWriter& out) {
  const std::size_t input_bytes = input.size();
  const std::size_t before = out.size();
  if (!input.empty() && !as_text(input).starts_with(stream_identifier)) return corrupt_unsized(name, input_bytes);
  while (!input.empty()) {
    if (input.size() < header_bytes) return corrupt_unsized(name, input_bytes);
    const auto type = static_cast<ChunkType>(input[0]);
    const std::size_t length = get(input.subspan(1, header_bytes - 1));
    if (input.size() - header_bytes < length) return corrupt_unsized(name, input_bytes);
    const ByteSpan data = input.subspan(header_bytes, length);
    const bool is_identifier = type == ChunkType::identifier;
    if (is_identifier && as_text(input.first(header_bytes + length)) != stream_identifier) {
      return corrupt_unsized(name, input_bytes);
    }
    input = input.subspan(header_bytes + length);
    if (type == ChunkType::compressed || type == ChunkType::raw) {
      const std::size_t left = limit - (out.size() - before);
      Status status = append_content(type == ChunkType::raw, data, input_bytes, left, out);
      if (status.code() == StatusCode::resource_exhausted) return exceeds_limit(name, input_bytes, limit);
      if (!status.is_ok()) return status;
    } else if (type < ChunkType::first_skippable) {
      return corrupt_unsized(name, input_bytes);
    }
  }
  return {};
}

}  // namespace trunkline::compression
