// SPDX-License-Identifier: MIT
// ZlibStream: the life of a z_stream.
#include <compression/zlib_stream.h>

namespace trunkline::compression {
namespace {

constexpr int level = 1;
constexpr int memory_level = 8;
constexpr int largest_window_bits = 15;
constexpr int gzip_flag = 16;

}  // namespace

ZlibStream::ZlibStream(Direction direction, ZlibFormat format) : direction_(direction) {
  const int window_bits = largest_window_bits + (format == ZlibFormat::gzip ? gzip_flag : 0);
  is_usable_ = Z_OK == (direction == Direction::deflating
                            ? deflateInit2(&stream_, level, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY)
                            : inflateInit2(&stream_, window_bits));
}

ZlibStream::~ZlibStream() {
  if (!is_usable_) return;
  if (direction_ == Direction::deflating) {
    deflateEnd(&stream_);
  } else {
    inflateEnd(&stream_);
  }
}

ZlibStream& ZlibStream::deflating(ZlibFormat format) {
  if (format == ZlibFormat::gzip) {
    thread_local ZlibStream gzip(Direction::deflating, ZlibFormat::gzip);
    return gzip;
  }
  thread_local ZlibStream zlib(Direction::deflating, ZlibFormat::zlib);
  return zlib;
}

ZlibStream& ZlibStream::inflating(ZlibFormat format) {
  if (format == ZlibFormat::gzip) {
    thread_local ZlibStream gzip(Direction::inflating, ZlibFormat::gzip);
    return gzip;
  }
  thread_local ZlibStream zlib(Direction::inflating, ZlibFormat::zlib);
  return zlib;
}

z_stream* ZlibStream::restart() {
  if (!is_usable_) return nullptr;
  const int result = direction_ == Direction::deflating ? deflateReset(&stream_) : inflateReset(&stream_);
  return result == Z_OK ? &stream_ : nullptr;
}

void ZlibStream::attach(ByteSpan input, MutableByteSpan out) {
  // zlib treats null as an error even if the size is 0.
  stream_.next_in = input.empty() ? &nothing_ : const_cast<Bytef*>(reinterpret_cast<const Bytef*>(input.data()));
  stream_.avail_in = static_cast<uInt>(input.size());
  continue_into(out);
}

void ZlibStream::continue_into(MutableByteSpan out) {
  stream_.next_out = out.empty() ? &nothing_ : reinterpret_cast<Bytef*>(out.data());
  stream_.avail_out = static_cast<uInt>(out.size());
}

}  // namespace trunkline::compression
