// SPDX-License-Identifier: MIT
// DeflateCompressor: zlib's format (RFC 1950), which HTTP and gRPC call deflate, at level 1.
#pragma once

#include <compression/zlib_compressor.h>

namespace trunkline::compression {

class DeflateCompressor final : public ZlibCompressor {
 public:
  DeflateCompressor() noexcept;
  std::string_view name() const noexcept override { return "deflate"; }
};

}  // namespace trunkline::compression
