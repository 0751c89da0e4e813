// SPDX-License-Identifier: MIT
// Encodes header fields.
#include "session/native/header_fields.h"

#include "wire/header_block.h"
#include "wire/text.h"

#include <algorithm>

namespace trunkline::session::native {

namespace {
/// A short status message has this much room beside the trailing metadata.
constexpr std::size_t status_bytes = 64;
constexpr std::size_t max_status_message_bytes = 4096;
}  // namespace

Slice encode_metadata(const Metadata& metadata) {
  BufferWriter out;
  wire::HeaderBlockWriter block(out);
  block.begin();
  block.metadata(metadata);
  return out.take().subslice(wire::block_size_bytes);
}

bool fits_finish(const Metadata* trailing, std::size_t room) noexcept {
  return (trailing == nullptr ? 0 : max_encoded_bytes(*trailing)) + status_bytes <= room;
}

Slice encode_finish_fields(const Status& status, const Metadata* trailing, std::size_t room) {
  const std::size_t metadata_bytes = trailing == nullptr ? 0 : max_encoded_bytes(*trailing);
  if (status.is_ok() && metadata_bytes == 0) return {};
  BufferWriter out;
  wire::HeaderBlockWriter writer(out);
  writer.begin();
  if (metadata_bytes > 0) writer.metadata(*trailing);
  if (!status.message().empty()) {
    const std::size_t message_room = std::min<std::size_t>(room - metadata_bytes - 16, max_status_message_bytes);
    writer.status_message(wire::utf8_prefix(status.message(), message_room));
  }
  for (const StatusDetail& detail : status.details()) {
    if (writer.size() + detail.type_url.size() + detail.value.size() + 16 <= room)
      writer.status_detail(detail.type_url, detail.value);
  }
  return out.take().subslice(wire::block_size_bytes);
}

}  // namespace trunkline::session::native
