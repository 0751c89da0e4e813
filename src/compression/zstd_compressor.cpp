// SPDX-License-Identifier: MIT
// ZstdCompressor: one frame. Each thread keeps one zstd context per direction.
#include <compression/zstd_compressor.h>

#include <compression/compression_error.h>

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>

namespace trunkline::compression {
namespace {

constexpr int zstd_level = 1;
constexpr std::uint32_t frame_magic = 0xFD2FB528;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

ZSTD_CCtx* compression_context() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  return context.get();
}

ZSTD_DCtx* decompression_context() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  return context.get();
}

/// The memory that the first attempt at a frame takes for each of its bytes, and the factor of each further one.
constexpr std::size_t likely_ratio = 16;
constexpr std::size_t growth = 8;
constexpr std::size_t smallest_attempt = 64 << 10;

/// Returns the size of the frame with which the input begins; 0 if that is none: it is skippable, in the format of an
/// older version, or cut off.
std::size_t size_of_frame(ByteSpan input) {
  if (input.size() < sizeof frame_magic) return 0;
  std::uint32_t magic = 0;
  for (std::size_t i = 0; i < sizeof magic; ++i) magic |= std::to_integer<std::uint32_t>(input[i]) << 8 * i;
  if (magic != frame_magic) return 0;
  const std::size_t size = ZSTD_findFrameCompressedSize(input.data(), input.size());
  return ZSTD_isError(size) != 0 ? 0 : size;
}

/// Returns true if the input is exactly one frame.
bool is_one_frame(ByteSpan input) { return !input.empty() && size_of_frame(input) == input.size(); }

}  // namespace

Status ZstdCompressor::compress(ByteSpan input, BufferWriter& out) const {
  ZSTD_CCtx* context = compression_context();
  if (context == nullptr) return compress_error(name(), "out of memory");
  MutableByteSpan room = out.prepare(ZSTD_compressBound(input.size()));
  const std::size_t written =
      ZSTD_compressCCtx(context, room.data(), room.size(), input.data(), input.size(), zstd_level);
  if (ZSTD_isError(written) != 0) return compress_error(name(), ZSTD_getErrorName(written));
  out.advance(written);
  return Status::ok();
}

Status ZstdCompressor::decompress(ByteSpan input, MutableByteSpan out) const {
  if (!is_one_frame(input)) return corrupt(name(), input.size(), out.size());
  ZSTD_DCtx* context = decompression_context();
  if (context == nullptr) return out_of_memory(name());
  const std::size_t written = ZSTD_decompressDCtx(context, out.data(), out.size(), input.data(), input.size());
  if (ZSTD_isError(written) != 0) return decompress_error(name(), ZSTD_getErrorName(written));
  if (written != out.size()) return corrupt(name(), input.size(), out.size());
  return Status::ok();
}

/// Decompresses. An attempt that runs out of room is repeated with more, which costs less than the window of a zstd
/// stream: the sender chooses the size of that.
Status ZstdCompressor::append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const {
  if (!is_one_frame(input)) return corrupt(name(), input.size(), size);
  ZSTD_DCtx* context = decompression_context();
  if (context == nullptr) return out_of_memory(name());
  std::size_t room = std::min(size, std::max(smallest_attempt, input.size() * likely_ratio));
  while (true) {
    const std::size_t written =
        ZSTD_decompressDCtx(context, out.prepare(room).data(), room, input.data(), input.size());
    if (ZSTD_isError(written) == 0) {
      if (written != size) return corrupt(name(), input.size(), size);
      out.advance(written);
      return {};
    }
    const bool is_too_small = ZSTD_getErrorCode(written) == ZSTD_error_dstSize_tooSmall;
    if (!is_too_small) return decompress_error(name(), ZSTD_getErrorName(written));
    if (room == size) return corrupt(name(), input.size(), size);
    room = size / growth < room ? size : room * growth;
  }
}

/// Decompresses the frames one by one, in attempts as append_decompressed() makes them.
Status ZstdCompressor::decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const {
  ZSTD_DCtx* context = decompression_context();
  if (context == nullptr) return out_of_memory(name());
  const std::size_t input_bytes = input.size();
  for (std::size_t left = limit; !input.empty();) {
    const std::size_t size = size_of_frame(input);
    if (size == 0) return corrupt_unsized(name(), input_bytes);
    const ByteSpan frame = input.first(size);
    input = input.subspan(size);
    // The size that a frame declares is not believed: if it is damaged, it is not too long.
    std::size_t room = std::min(left, std::max(smallest_attempt, frame.size() * likely_ratio));
    while (true) {
      const std::size_t written =
          ZSTD_decompressDCtx(context, out.prepare(room).data(), room, frame.data(), frame.size());
      if (ZSTD_isError(written) == 0) {
        out.advance(written);
        left -= written;
        break;
      }
      const bool is_too_small = ZSTD_getErrorCode(written) == ZSTD_error_dstSize_tooSmall;
      if (!is_too_small) return decompress_error(name(), ZSTD_getErrorName(written));
      if (room == left) return exceeds_limit(name(), input_bytes, limit);
      room = left / growth < room ? left : room * growth;
    }
  }
  return {};
}

}  // namespace trunkline::compression
