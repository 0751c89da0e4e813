// SPDX-License-Identifier: MIT
// Decompresses whole messages, and limits their size.
#include "session/decompression.h"

#include "base/exception_text.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace trunkline::session {

namespace {
/// Messages up to this size may decompress from any number of bytes: they are cheap to make.
constexpr std::uint64_t bytes_without_ratio = 64 << 10;

Result<Slice> decompress_unsized(const Compressor& compressor, ByteSpan payload, std::size_t limit,
                                 StatusCode corrupt) {
  BufferWriter out;
  const Status status = compressor.decompress_unsized(payload, limit, out);
  if (status.is_ok() && out.size() <= limit) return out.take();
  if (status.is_ok() || status.code() == StatusCode::resource_exhausted) {
    return Status(StatusCode::resource_exhausted, "decompress message: " + std::to_string(payload.size()) +
                                                      " bytes to more than " + std::to_string(limit) +
                                                      ", which exceeds max_message_bytes or max_decompression_ratio");
  }
  return Status(corrupt,
                "decompress message: " + std::string(compressor.name()) + ": " + std::string(status.message()));
}
}  // namespace

std::size_t most_decompressed(std::size_t compressed, const ConnectionLimits& limits) noexcept {
  const std::uint64_t by_ratio = std::uint64_t{compressed} * limits.max_decompression_ratio;
  return static_cast<std::size_t>(std::min(limits.max_message_bytes, std::max(bytes_without_ratio, by_ratio)));
}

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
  return decompress_unsized(compressor, payload, limit, StatusCode::internal);
}

Result<Slice> decompress_unsized(const Event& event, StatusCode corrupt, SessionOwner& owner) try {
  return decompress_unsized(*event.compressor, event.payload, event.decompressed_bytes, corrupt);
} catch (...) {
  return owner.on_codec_exception("decompress message: " + std::string(event.compressor->name()),
                                  base::current_exception_text());
}

StatusCode code_of_corrupt_request(web::Format format) noexcept {
  const bool is_grpc =
      format == web::Format::grpc || format == web::Format::grpc_web || format == web::Format::grpc_web_text;
  return is_grpc ? StatusCode::internal : StatusCode::invalid_argument;
}

}  // namespace trunkline::session
