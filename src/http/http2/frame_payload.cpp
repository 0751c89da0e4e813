// SPDX-License-Identifier: MIT
// Takes the payloads of frames apart.
#include "http/http2/frame_payload.h"

#include <cstring>

namespace trunkline::http::http2 {
namespace {

constexpr std::size_t priority_bytes = 5;

Priority take_priority(const std::byte* in) noexcept {
  const std::uint32_t dependency = load_uint32(in);
  return {.dependency = dependency & max_stream_id,
          .weight = static_cast<std::uint16_t>(std::to_integer<unsigned>(in[4]) + 1),
          .is_exclusive = dependency > max_stream_id};
}

/// Checks a dependency. RFC 9113 dropped this rule with the tree of priorities; RFC 7540, section 5.3.1, has it.
FrameError check_dependency(const FrameHeader& header, const Priority& priority) noexcept {
  if (priority.dependency != header.stream) return {};
  return stream_error(ErrorCode::protocol_error, "stream depends on itself");
}

/// Removes the length of the padding and the padding. Between them and the rest stand `fields_bytes`.
FrameError remove_padding(const FrameHeader& header, std::size_t fields_bytes, ByteSpan& payload) noexcept {
  if (!header.has(flag::padded)) return {};
  const auto padding = std::to_integer<std::size_t>(payload[0]);
  payload = payload.subspan(1);
  if (padding + fields_bytes > payload.size()) {
    return connection_error(ErrorCode::protocol_error, "padding exceeds the payload");
  }
  payload = payload.first(payload.size() - padding);
  return {};
}

}  // namespace

FrameError read_data(const FrameHeader& header, ByteSpan payload, ByteSpan& data) noexcept {
  const FrameError error = remove_padding(header, 0, payload);
  data = payload;
  return error;
}

FrameError read_headers(const FrameHeader& header, ByteSpan payload, HeadersPayload& out) noexcept {
  out.has_priority = header.has(flag::priority);
  if (FrameError error = remove_padding(header, out.has_priority ? priority_bytes : 0, payload)) return error;
  out.fragment = payload;
  if (!out.has_priority) return {};
  out.priority = take_priority(payload.data());
  out.fragment = payload.subspan(priority_bytes);
  return check_dependency(header, out.priority);
}

FrameError read_priority(const FrameHeader& header, ByteSpan payload, Priority& out) noexcept {
  out = take_priority(payload.data());
  return check_dependency(header, out);
}

ErrorCode read_rst_stream(ByteSpan payload) noexcept { return static_cast<ErrorCode>(load_uint32(payload.data())); }

FrameError read_push_promise(const FrameHeader& header, ByteSpan payload, PushPromisePayload& out) noexcept {
  constexpr std::size_t promised_bytes = 4;
  if (FrameError error = remove_padding(header, promised_bytes, payload)) return error;
  out.promised_stream = load_uint32(payload.data()) & max_stream_id;
  out.fragment = payload.subspan(promised_bytes);
  if (out.promised_stream == 0 || out.promised_stream % 2 != 0) {
    return connection_error(ErrorCode::protocol_error, "promised stream has no id of a server");
  }
  return {};
}

PingValue read_ping(ByteSpan payload) noexcept {
  PingValue value;
  std::memcpy(value.data(), payload.data(), ping_bytes);
  return value;
}

GoawayPayload read_goaway(ByteSpan payload) noexcept {
  return {.last_stream = load_uint32(payload.data()) & max_stream_id,
          .code = static_cast<ErrorCode>(load_uint32(payload.data() + 4)),
          .debug_data = payload.subspan(8)};
}

FrameError read_window_update(const FrameHeader& header, ByteSpan payload, std::uint32_t& increment) noexcept {
  constexpr std::string_view reason = "window update of 0";
  increment = load_uint32(payload.data()) & max_stream_id;
  if (increment != 0) return {};
  if (header.stream == 0) return connection_error(ErrorCode::protocol_error, reason);
  return stream_error(ErrorCode::protocol_error, reason);
}

}  // namespace trunkline::http::http2
