// SPDX-License-Identifier: MIT
// Compresses and decompresses one member. Each thread keeps one zlib stream per direction.
#include <compression/gzip_compressor.h>

#include <compression/compression_error.h>

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace trunkline::compression {
namespace {

constexpr int gzip_level = 1;
constexpr int gzip_window_bits = 15 + 16;
constexpr int memory_level = 8;
constexpr std::size_t limit = std::numeric_limits<uInt>::max();

/// How much output the first step makes room for, for each byte of the input, and how much more each further step.
constexpr std::size_t likely_ratio = 8;
constexpr std::size_t growth = 4;
constexpr std::size_t smallest_step = 64 << 10;

/// A z_stream that is destroyed with its thread.
class Stream {
 public:
  enum class Direction : std::uint8_t { deflating, inflating };

  explicit Stream(Direction direction) : direction_(direction) {
    usable_ = Z_OK ==
              (direction == Direction::deflating
                   ? deflateInit2(&stream_, gzip_level, Z_DEFLATED, gzip_window_bits, memory_level, Z_DEFAULT_STRATEGY)
                   : inflateInit2(&stream_, gzip_window_bits));
  }
  ~Stream() {
    if (!usable_) return;
    if (direction_ == Direction::deflating) {
      deflateEnd(&stream_);
    } else {
      inflateEnd(&stream_);
    }
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// The stream at the start of a new member, or null if memory ran out.
  z_stream* restart() {
    if (!usable_) return nullptr;
    const int result = direction_ == Direction::deflating ? deflateReset(&stream_) : inflateReset(&stream_);
    return result == Z_OK ? &stream_ : nullptr;
  }
  /// Points the stream at further output.
  void continue_into(MutableByteSpan out) {
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
  }
  /// Points the stream at its input and output, neither longer than `limit`.
  void attach(ByteSpan input, MutableByteSpan out) {
    // zlib treats null as an error even if the size is 0.
    stream_.next_in = input.empty() ? &nothing_ : const_cast<Bytef*>(reinterpret_cast<const Bytef*>(input.data()));
    stream_.avail_in = static_cast<uInt>(input.size());
    stream_.next_out = out.empty() ? &nothing_ : reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
  }

 private:
  z_stream stream_{};
  Direction direction_;
  bool usable_ = false;
  Bytef nothing_ = 0;
};

}  // namespace

Status GzipCompressor::compress(ByteSpan input, BufferWriter& out) const {
  if (input.size() > limit) return input_too_long(name(), input.size(), limit);
  thread_local Stream deflating(Stream::Direction::deflating);
  z_stream* stream = deflating.restart();
  if (stream == nullptr) return compress_error(name(), "out of memory");
  const std::size_t bound = deflateBound(stream, static_cast<uLong>(input.size()));
  if (bound > limit) return input_too_long(name(), input.size(), limit);
  deflating.attach(input, out.prepare(bound).first(bound));
  if (deflate(stream, Z_FINISH) != Z_STREAM_END) return compress_error(name(), "the encoder failed");
  out.advance(bound - stream->avail_out);
  return Status::ok();
}

Status GzipCompressor::decompress(ByteSpan input, MutableByteSpan out) const {
  if (input.size() > limit || out.size() > limit) return corrupt(name(), input.size(), out.size());
  thread_local Stream inflating(Stream::Direction::inflating);
  z_stream* stream = inflating.restart();
  if (stream == nullptr) return {StatusCode::resource_exhausted, "decompress gzip: out of memory"};
  inflating.attach(input, out);
  const int result = inflate(stream, Z_FINISH);
  if (result != Z_STREAM_END || stream->avail_in != 0 || stream->avail_out != 0) {
    return corrupt(name(), input.size(), out.size());
  }
  return Status::ok();
}

Status GzipCompressor::append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const {
  if (input.size() > limit || size > limit) return corrupt(name(), input.size(), size);
  thread_local Stream inflating(Stream::Direction::inflating);
  z_stream* stream = inflating.restart();
  if (stream == nullptr) return {StatusCode::resource_exhausted, "decompress gzip: out of memory"};
  std::size_t step = std::max(smallest_step, input.size() * likely_ratio);
  for (std::size_t made = 0;; step *= growth) {
    const std::size_t room = std::min(step, size - made);
    if (made == 0) {
      inflating.attach(input, out.prepare(room).first(room));
    } else {
      inflating.continue_into(out.prepare(room).first(room));
    }
    const int result = inflate(stream, Z_NO_FLUSH);
    const std::size_t written = room - stream->avail_out;
    out.advance(written);
    made += written;
    const bool is_done = result == Z_STREAM_END;
    if (is_done && stream->avail_in == 0 && made == size) return {};
    // Output that is not full, or complete without the end of the stream, is all that there is.
    if (is_done || result != Z_OK || stream->avail_out != 0 || made == size) {
      return corrupt(name(), input.size(), size);
    }
  }
}

}  // namespace trunkline::compression
