// SPDX-License-Identifier: MIT
// Appends whole frames of every type to a buffer of the caller (RFC 9113, section 6). None is padded.
#pragma once

#include "http/http2/frame_payload.h"
#include "http/http2/settings.h"

#include <trunkline/slice.h>

#include <cstdint>
#include <span>

namespace trunkline::http::http2 {

/// Appends a header, which `header.length` bytes of payload are to follow.
void append_frame_header(const FrameHeader& header, BufferWriter& out);

/// Appends DATA. `data` is at most as long as the peer's SETTINGS_MAX_FRAME_SIZE.
void append_data(std::uint32_t stream, ByteSpan data, bool is_end, BufferWriter& out);

/// Appends HEADERS, and as many CONTINUATION frames as the peer's `max_frame_bytes` makes necessary.
void append_headers(std::uint32_t stream, ByteSpan block, bool is_end, std::uint32_t max_frame_bytes,
                    BufferWriter& out);
/// Appends PUSH_PROMISE, and as many CONTINUATION frames as the peer's `max_frame_bytes` makes necessary.
void append_push_promise(std::uint32_t stream, std::uint32_t promised_stream, ByteSpan block,
                         std::uint32_t max_frame_bytes, BufferWriter& out);

void append_priority(std::uint32_t stream, const Priority& priority, BufferWriter& out);
void append_rst_stream(std::uint32_t stream, ErrorCode code, BufferWriter& out);
void append_settings(std::span<const Setting> settings, BufferWriter& out);
void append_settings_ack(BufferWriter& out);
void append_ping(const PingValue& value, bool is_ack, BufferWriter& out);
/// Appends GOAWAY. `debug_data` and 8 bytes are at most as long as the peer's SETTINGS_MAX_FRAME_SIZE.
void append_goaway(std::uint32_t last_stream, ErrorCode code, ByteSpan debug_data, BufferWriter& out);
/// Appends WINDOW_UPDATE. `increment` is 1 to 2^31 - 1.
void append_window_update(std::uint32_t stream, std::uint32_t increment, BufferWriter& out);

}  // namespace trunkline::http::http2
