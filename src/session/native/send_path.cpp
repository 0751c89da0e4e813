// SPDX-License-Identifier: MIT
// Writes control frames, and finish frames without a message, and pumps the queue.
#include "session/native/send_path.h"

#include "session/native/header_fields.h"
#include "wire/control.h"

#include <cstring>

namespace trunkline::session::native {

void SendPath::write_goaway(CallId last_call, StatusCode code, std::string_view text) {
  BufferWriter frame;
  wire::write_goaway(last_call, code, text, frame);
  output_.append(frame.bytes());
}

void SendPath::write_finish(CallId id, const Status& status, bool unprocessed, ByteSpan fields) {
  Slice encoded;
  if (fields.empty() && !status.is_ok()) {
    encoded = encode_status_fields(status, negotiation_.header_room());
    fields = encoded.bytes();
  }
  wire::FrameHeader header{
      .type = wire::FrameType::finish, .call = id, .number = static_cast<std::uint32_t>(status.code())};
  if (unprocessed && !status.is_ok()) header.flags |= wire::flag::unprocessed;
  if (!fields.empty()) {
    header.flags |= wire::flag::headers;
    header.length = static_cast<std::uint32_t>(wire::block_size_bytes + fields.size());
  }
  std::byte* out = output_.reserve(wire::header_bytes + header.length);
  wire::write_header(header, out);
  if (!fields.empty()) {
    wire::store_little(out + wire::header_bytes, static_cast<std::uint32_t>(fields.size()));
    std::memcpy(out + wire::header_bytes + wire::block_size_bytes, fields.data(), fields.size());
  }
  output_.commit(wire::header_bytes + header.length);
}

void SendPath::pump() {
  if (output_.size() >= pump_target() || is_closed_) return;
  const std::size_t before = output_.size();
  queue_.pump(pump_target(), limits_.chunk_bytes, negotiation_.peer().max_frame_bytes);
  can_pump_ = output_.size() > before;
}

}  // namespace trunkline::session::native
