// SPDX-License-Identifier: MIT
// Decompression of whole messages.
#include "session/decompression.h"

#include <string>

namespace trunkline::session {

Result<Slice> decompress(const Compressor& compressor, ByteSpan payload, std::size_t size) {
  BufferWriter out;
  Status status = compressor.append_decompressed(payload, size, out);
  if (status.is_ok() && out.size() != size) {
    status = Status(StatusCode::invalid_argument,
                    "made " + std::to_string(out.size()) + " bytes instead of " + std::to_string(size));
  }
  if (status.is_ok()) return out.take();
  return Status(StatusCode::internal,
                "decompress message: " + std::string(compressor.name()) + ": " + std::string(status.message()));
}

Result<Slice> decompress_unsized(const Compressor& compressor, ByteSpan payload, std::size_t limit) {
  BufferWriter out;
  const Status status = compressor.decompress_unsized(payload, limit, out);
  if (status.is_ok() && out.size() <= limit) return out.take();
  if (status.is_ok() || status.code() == StatusCode::resource_exhausted) {
    return Status(StatusCode::resource_exhausted, "decompress message: " + std::to_string(payload.size()) +
                                                      " bytes to more than " + std::to_string(limit) +
                                                      ", which exceeds max_message_bytes or max_decompression_ratio");
  }
  return Status(StatusCode::internal,
                "decompress message: " + std::string(compressor.name()) + ": " + std::string(status.message()));
}

}  // namespace trunkline::session
