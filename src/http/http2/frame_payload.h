// SPDX-License-Identifier: MIT
// The payloads of frames (RFC 9113, section 6). SETTINGS is in settings.h; that of CONTINUATION is a part of a header
// block.
#pragma once

#include "http/http2/frame.h"

#include <trunkline/slice.h>

#include <array>
#include <cstdint>

namespace trunkline::http::http2 {

// Each function takes a header that check_frame_header() has accepted and its whole payload, and returns views of it.

/// Returns the payload without padding. All of header.length counts for flow control.
FrameError read_data(const FrameHeader& header, ByteSpan payload, ByteSpan& data) noexcept;

/// The priority of a stream. Section 5.3 deprecates it, but peers send it.
struct Priority {
  std::uint32_t dependency = 0;
  /// The weight, from 1 to 256.
  std::uint16_t weight = 16;
  bool is_exclusive = false;
};

struct HeadersPayload {
  /// The first part of the header block.
  ByteSpan fragment;
  bool has_priority = false;
  Priority priority;
};

/// Reads HEADERS. `out` is right after a stream error as well: the block has to be decoded to keep the table in step.
FrameError read_headers(const FrameHeader& header, ByteSpan payload, HeadersPayload& out) noexcept;

FrameError read_priority(const FrameHeader& header, ByteSpan payload, Priority& out) noexcept;

ErrorCode read_rst_stream(ByteSpan payload) noexcept;

struct PushPromisePayload {
  std::uint32_t promised_stream = 0;
  /// The first part of the header block.
  ByteSpan fragment;
};

FrameError read_push_promise(const FrameHeader& header, ByteSpan payload, PushPromisePayload& out) noexcept;

using PingValue = std::array<std::byte, ping_bytes>;

PingValue read_ping(ByteSpan payload) noexcept;

struct GoawayPayload {
  std::uint32_t last_stream = 0;
  ErrorCode code = ErrorCode::no_error;
  ByteSpan debug_data;
};

GoawayPayload read_goaway(ByteSpan payload) noexcept;

/// Reads WINDOW_UPDATE. `increment` is 1 to 2^31 - 1.
FrameError read_window_update(const FrameHeader& header, ByteSpan payload, std::uint32_t& increment) noexcept;

}  // namespace trunkline::http::http2
