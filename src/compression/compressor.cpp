// SPDX-License-Identifier: MIT
// Compressor: the functions that a compressor has if it does not override them.
#include <trunkline/compressor.h>

namespace trunkline {

Status Compressor::append_decompressed(ByteSpan input, std::size_t size, BufferWriter& out) const {
  if (Status status = decompress(input, out.prepare(size).first(size)); !status.is_ok()) return status;
  out.advance(size);
  return {};
}

Status Compressor::compress_unsized(ByteSpan input, BufferWriter& out) const { return compress(input, out); }

Status Compressor::decompress_unsized(ByteSpan /*input*/, std::size_t /*limit*/, BufferWriter& /*out*/) const {
  return {StatusCode::unimplemented, "decompress: the compressor needs the size"};
}

}  // namespace trunkline
