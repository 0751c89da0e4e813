// SPDX-License-Identifier: MIT
// DeflateCompressor: deflate as one of zlib's formats.
#include <compression/deflate_compressor.h>

namespace trunkline::compression {

DeflateCompressor::DeflateCompressor() noexcept : ZlibCompressor(ZlibFormat::zlib) {}

}  // namespace trunkline::compression
