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

}  // namespace trunkline::session
