// SPDX-License-Identifier: MIT
// BrotliCompressor: compresses and decompresses whole streams.
#include <compression/brotli_compressor.h>

#include <compression/compression_error.h>

#include <brotli/decode.h>
#include <brotli/encode.h>

#include <algorithm>
#include <bit>
#include <memory>

namespace trunkline::compression {
namespace {

constexpr int brotli_quality = 1;
/// The longest window. A longer one makes hardly any difference at this quality, and the receiver has to allocate it.
constexpr int most_window_bits = 20;

/// The output for which the first step makes room, by bytes of the input, and the factor of each further step.
constexpr std::size_t likely_ratio = 8;
constexpr std::size_t growth = 4;
constexpr std::size_t smallest_step = 64 << 10;

struct DestroyDecoder {
  void operator()(BrotliDecoderState* decoder) const noexcept { BrotliDecoderDestroyInstance(decoder); }
};
using Decoder = std::unique_ptr<BrotliDecoderState, DestroyDecoder>;

int window_bits_for(std::size_t size) noexcept {
  return std::clamp(static_cast<int>(std::bit_width(size)), BROTLI_MIN_WINDOW_BITS, most_window_bits);
}

bool is_out_of_memory(const BrotliDecoderState* decoder) noexcept {
  const BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(decoder);
  return code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
}

/// Decompresses as much as `out` has room for, and moves both forward.
BrotliDecoderResult decompress_some(BrotliDecoderState* decoder, ByteSpan& input, MutableByteSpan& out) {
  auto* from = reinterpret_cast<const std::uint8_t*>(input.data());
  auto* to = reinterpret_cast<std::uint8_t*>(out.data());
  std::size_t left = input.size();
  std::size_t room = out.size();
  const BrotliDecoderResult result = BrotliDecoderDecompressStream(decoder, &left, &from, &room, &to, nullptr);
  input = input.last(left);
  out = out.last(room);
  return result;
}

enum class Outcome : std::uint8_t { whole, too_long, corrupt, no_memory };

/// Appends what all of the input decompresses to, at most `limit` bytes.
Outcome decompress_all(ByteSpan input, std::size_t limit, BufferWriter& out) {
  const Decoder decoder(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr));
  if (decoder == nullptr) return Outcome::no_memory;
  std::size_t step = std::max(smallest_step, input.size() * likely_ratio);
  for (std::size_t made = 0;; step *= growth) {
    // One byte beyond the limit shows that there is more; otherwise nothing ends there.
    const std::size_t room = std::min(step, limit - made + 1);
    MutableByteSpan target = out.prepare(room).first(room);
    const BrotliDecoderResult result = decompress_some(decoder.get(), input, target);
    const std::size_t written = room - target.size();
    made += written;
    if (made > limit) return Outcome::too_long;
    out.advance(written);
    if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) continue;
    if (result == BROTLI_DECODER_RESULT_SUCCESS) return input.empty() ? Outcome::whole : Outcome::corrupt;
    const bool has_failed = result == BROTLI_DECODER_RESULT_ERROR;
    return has_failed && is_out_of_memory(decoder.get()) ? Outcome::no_memory : Outcome::corrupt;
  }
}

}  // namespace

Status BrotliCompressor::compress(ByteSpan input, BufferWriter& out) const {
  const std::size_t bound = BrotliEncoderMaxCompressedSize(input.size());
  if (bound == 0) return compress_error(name(), "the input is too long");
  std::size_t size = bound;
  const BROTLI_BOOL is_done = BrotliEncoderCompress(brotli_quality, window_bits_for(input.size()), BROTLI_MODE_GENERIC,
                                                    input.size(), reinterpret_cast<const std::uint8_t*>(input.data()),
                                                    &size, reinterpret_cast<std::uint8_t*>(out.prepare(bound).data()));
  if (is_done == BROTLI_FALSE) return compress_error(name(), "the encoder failed");
  out.advance(size);
  return {};
}

Status BrotliCompressor::decompress(ByteSpan input, MutableByteSpan out) const {
  const std::size_t input_bytes = input.size();
  const std::size_t out_bytes = out.size();
  const Decoder decoder(BrotliDecoderCreateInstance(nullptr, nullptr, nullptr));
  if (decoder == nullptr) return out_of_memory(name());
  const BrotliDecoderResult result = decompress_some(decoder.get(), input, out);
  if (result == BROTLI_DECODER_RESULT_ERROR && is_out_of_memory(decoder.get())) return out_of_memory(name());
  const bool is_whole = result == BROTLI_DECODER_RESULT_SUCCESS && input.empty() && out.empty();
  return is_whole ? Status() : corrupt(name(), input_bytes, out_bytes);
}

Status BrotliCompressor::append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const {
  const std::size_t before = out.size();
  const Outcome outcome = decompress_all(input, size, out);
  if (outcome == Outcome::no_memory) return out_of_memory(name());
  const bool is_right = outcome == Outcome::whole && out.size() - before == size;
  return is_right ? Status() : corrupt(name(), input.size(), size);
}

Status BrotliCompressor::decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const {
  switch (decompress_all(input, limit, out)) {
    case Outcome::whole:
      return {};
    case Outcome::too_long:
      return exceeds_limit(name(), input.size(), limit);
    case Outcome::no_memory:
      return out_of_memory(name());
    case Outcome::corrupt:
      break;
  }
  return corrupt_unsized(name(), input.size());
}

}  // namespace trunkline::compression
