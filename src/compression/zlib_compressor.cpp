// SPDX-License-Identifier: MIT
// ZlibCompressor: compresses and decompresses with the streams of the thread.
#include <compression/zlib_compressor.h>

#include <compression/compression_error.h>

#include <algorithm>
#include <array>
#include <limits>

namespace trunkline::compression {
namespace {

/// The output for which the first step makes room, by bytes of the input, and the factor of each further step.
constexpr std::size_t likely_ratio = 8;
constexpr std::size_t growth = 4;
constexpr std::size_t smallest_step = 64 << 10;

std::size_t first_step(ByteSpan input) noexcept { return std::max(smallest_step, input.size() * likely_ratio); }

}  // namespace

Status ZlibCompressor::compress(ByteSpan input, BufferWriter& out) const {
  constexpr std::size_t limit = ZlibStream::limit;
  if (input.size() > limit) return input_too_long(name(), input.size(), limit);
  ZlibStream& deflating = ZlibStream::deflating(format_);
  z_stream* stream = deflating.restart();
  if (stream == nullptr) return compress_error(name(), "out of memory");
  const std::size_t bound = deflateBound(stream, static_cast<uLong>(input.size()));
  if (bound > limit) return input_too_long(name(), input.size(), limit);
  deflating.attach(input, out.prepare(bound).first(bound));
  if (deflate(stream, Z_FINISH) != Z_STREAM_END) return compress_error(name(), "the encoder failed");
  out.advance(bound - stream->avail_out);
  return Status::ok();
}

/// Inflates until the output is full, or all input is used up. `flush` is Z_FINISH if the output has room for all.
ZlibCompressor::Progress ZlibCompressor::fill(z_stream& stream, int flush) const {
  while (true) {
    const int result = inflate(&stream, flush);
    if (result == Z_OK) return stream.avail_out == 0 ? Progress::full : Progress::corrupt;
    if (result != Z_STREAM_END) return Progress::corrupt;
    if (stream.avail_in == 0) return Progress::end;
    // The rest is another member, or nothing that this format allows.
    if (format_ != ZlibFormat::gzip || inflateReset(&stream) != Z_OK) return Progress::corrupt;
  }
}

Status ZlibCompressor::decompress(ByteSpan input, MutableByteSpan out) const {
  constexpr std::size_t limit = ZlibStream::limit;
  if (input.size() > limit || out.size() > limit) return corrupt(name(), input.size(), out.size());
  ZlibStream& inflating = ZlibStream::inflating(format_);
  z_stream* stream = inflating.restart();
  if (stream == nullptr) return out_of_memory(name());
  inflating.attach(input, out);
  if (fill(*stream, Z_FINISH) != Progress::end || stream->avail_out != 0)
    return corrupt(name(), input.size(), out.size());
  return Status::ok();
}

Status ZlibCompressor::append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const {
  constexpr std::size_t limit = ZlibStream::limit;
  if (input.size() > limit || size > limit) return corrupt(name(), input.size(), size);
  ZlibStream& inflating = ZlibStream::inflating(format_);
  z_stream* stream = inflating.restart();
  if (stream == nullptr) return out_of_memory(name());
  inflating.attach(input, {});
  std::size_t step = first_step(input);
  for (std::size_t made = 0;; step *= growth) {
    const std::size_t room = std::min(step, size - made);
    inflating.continue_into(out.prepare(room).first(room));
    const Progress progress = fill(*stream, Z_NO_FLUSH);
    const std::size_t written = room - stream->avail_out;
    out.advance(written);
    made += written;
    if (progress == Progress::end && made == size) return {};
    // If the output is complete without the end of the data, no more output follows.
    if (progress != Progress::full || made == size) return corrupt(name(), input.size(), size);
  }
}

Status ZlibCompressor::measure(ByteSpan input, std::size_t limit, std::size_t& size) const {
  if (input.size() > ZlibStream::limit) return corrupt_unsized(name(), input.size());
  ZlibStream& inflating = ZlibStream::inflating(format_);
  z_stream* stream = inflating.restart();
  if (stream == nullptr) return out_of_memory(name());
  inflating.attach(input, {});
  std::array<std::byte, 16 << 10> unwanted;
  for (size = 0;;) {
    inflating.continue_into(unwanted);
    const Progress progress = fill(*stream, Z_NO_FLUSH);
    size += unwanted.size() - stream->avail_out;
    if (size > limit) return exceeds_limit(name(), input.size(), limit);
    if (progress == Progress::end) return {};
    if (progress != Progress::full) return corrupt_unsized(name(), input.size());
  }
}

Status ZlibCompressor::decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const {
  if (input.size() > ZlibStream::limit) return corrupt_unsized(name(), input.size());
  ZlibStream& inflating = ZlibStream::inflating(format_);
  z_stream* stream = inflating.restart();
  if (stream == nullptr) return out_of_memory(name());
  inflating.attach(input, {});
  limit = std::min(limit, std::numeric_limits<std::size_t>::max() - 1);
  std::size_t step = first_step(input);
  for (std::size_t made = 0;; step *= growth) {
    // One byte beyond the limit shows that there is more; otherwise nothing ends there.
    const std::size_t room = std::min({step, limit - made + 1, ZlibStream::limit});
    inflating.continue_into(out.prepare(room).first(room));
    const Progress progress = fill(*stream, Z_NO_FLUSH);
    const std::size_t written = room - stream->avail_out;
    made += written;
    if (made > limit) return exceeds_limit(name(), input.size(), limit);
    out.advance(written);
    if (progress == Progress::end) return {};
    if (progress != Progress::full) return corrupt_unsized(name(), input.size());
  }
}

}  // namespace trunkline::compression
