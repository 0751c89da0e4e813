// SPDX-License-Identifier: MIT
// Writes frames.
#include "http/http2/frame_writer.h"

#include <algorithm>
#include <cstring>

namespace trunkline::http::http2 {
namespace {

/// Appends the header, and returns where its payload has to be written before anything else is appended.
std::byte* open_frame(const FrameHeader& header, BufferWriter& out) {
  std::byte* at = out.prepare(frame_header_bytes + header.length).data();
  write_frame_header(header, at);
  out.advance(frame_header_bytes + header.length);
  return at + frame_header_bytes;
}

void copy(std::byte* to, ByteSpan bytes) noexcept {
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
}

/// Appends a block in frames. The first frame has `fields` before its part of the block.
void append_block(FrameHeader header, ByteSpan fields, ByteSpan block, std::uint32_t max_frame_bytes,
                  BufferWriter& out) {
  for (;;) {
    const std::size_t size = std::min(block.size(), max_frame_bytes - fields.size());
    if (size == block.size()) header.flags |= flag::end_headers;
    header.length = static_cast<std::uint32_t>(fields.size() + size);
    std::byte* at = open_frame(header, out);
    copy(at, fields);
    copy(at + fields.size(), block.first(size));
    block = block.subspan(size);
    if (block.empty()) return;
    header = {.type = FrameType::continuation, .stream = header.stream};
    fields = {};
  }
}

}  // namespace

void append_frame_header(const FrameHeader& header, BufferWriter& out) {
  write_frame_header(header, out.prepare(frame_header_bytes).data());
  out.advance(frame_header_bytes);
}

void append_data(std::uint32_t stream, ByteSpan data, bool is_end, BufferWriter& out) {
  const FrameHeader header{.length = static_cast<std::uint32_t>(data.size()),
                           .type = FrameType::data,
                           .flags = is_end ? flag::end_stream : std::uint8_t{0},
                           .stream = stream};
  copy(open_frame(header, out), data);
}

void append_headers(std::uint32_t stream, ByteSpan block, bool is_end, std::uint32_t max_frame_bytes,
                    BufferWriter& out) {
  append_block({.type = FrameType::headers, .flags = is_end ? flag::end_stream : std::uint8_t{0}, .stream = stream}, {},
               block, max_frame_bytes, out);
}

void append_push_promise(std::uint32_t stream, std::uint32_t promised_stream, ByteSpan block,
                         std::uint32_t max_frame_bytes, BufferWriter& out) {
  std::array<std::byte, 4> promised;
  store_uint32(promised.data(), promised_stream);
  append_block({.type = FrameType::push_promise, .stream = stream}, promised, block, max_frame_bytes, out);
}

void append_priority(std::uint32_t stream, const Priority& priority, BufferWriter& out) {
  std::byte* at = open_frame({.length = 5, .type = FrameType::priority, .stream = stream}, out);
  store_uint32(at, priority.dependency | (priority.is_exclusive ? max_stream_id + 1 : 0));
  at[4] = static_cast<std::byte>(priority.weight - 1);
}

void append_rst_stream(std::uint32_t stream, ErrorCode code, BufferWriter& out) {
  store_uint32(open_frame({.length = 4, .type = FrameType::rst_stream, .stream = stream}, out),
               static_cast<std::uint32_t>(code));
}

void append_settings(std::span<const Setting> settings, BufferWriter& out) {
  std::byte* at = open_frame(
      {.length = static_cast<std::uint32_t>(settings.size() * setting_bytes), .type = FrameType::settings}, out);
  for (const Setting& setting : settings) {
    const auto id = static_cast<unsigned>(setting.id);
    at[0] = static_cast<std::byte>(id >> 8);
    at[1] = static_cast<std::byte>(id);
    store_uint32(at + 2, setting.value);
    at += setting_bytes;
  }
}

void append_settings_ack(BufferWriter& out) {
  append_frame_header({.type = FrameType::settings, .flags = flag::ack}, out);
}

void append_ping(const PingValue& value, bool is_ack, BufferWriter& out) {
  const FrameHeader header{
      .length = ping_bytes, .type = FrameType::ping, .flags = is_ack ? flag::ack : std::uint8_t{0}};
  copy(open_frame(header, out), value);
}

void append_goaway(std::uint32_t last_stream, ErrorCode code, ByteSpan debug_data, BufferWriter& out) {
  std::byte* at =
      open_frame({.length = static_cast<std::uint32_t>(8 + debug_data.size()), .type = FrameType::goaway}, out);
  store_uint32(at, last_stream);
  store_uint32(at + 4, static_cast<std::uint32_t>(code));
  copy(at + 8, debug_data);
}

void append_window_update(std::uint32_t stream, std::uint32_t increment, BufferWriter& out) {
  store_uint32(open_frame({.length = 4, .type = FrameType::window_update, .stream = stream}, out), increment);
}

}  // namespace trunkline::http::http2
