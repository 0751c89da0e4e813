// SPDX-License-Identifier: MIT
// StreamState: the life of a stream as a table (RFC 9113, section 5.1). Nothing is ever pushed here.
#pragma once

#include "http/http2/error_code.h"

#include <cstddef>
#include <cstdint>

namespace trunkline::http::http2 {

enum class StreamState : std::uint8_t { idle, open, half_closed_local, half_closed_remote, closed };
inline constexpr std::size_t stream_state_count = 5;

/// Frames on a stream. `end` stands for END_STREAM.
enum class StreamInput : std::uint8_t {
  receive_headers,
  receive_headers_end,
  receive_data,
  receive_data_end,
  receive_reset,
  receive_window_update,
  send_headers,
  send_headers_end,
  send_data,
  send_data_end,
  send_reset,
};
inline constexpr std::size_t stream_input_count = 11;

enum class StreamVerdict : std::uint8_t {
  accept,
  /// The frame has no effect.
  ignore,
  /// The stream ends with a stream error of this code.
  reset,
  /// The connection ends with a connection error of this code.
  fail,
  /// This side must not send the frame now.
  forbid,
};

struct StreamTransition {
  StreamVerdict action = StreamVerdict::forbid;
  StreamState next = StreamState::closed;
  ErrorCode code = ErrorCode::no_error;
};

/// Returns the next state and the action. `closed` is the state of a stream that this side has not reset: frames after
/// its own RST_STREAM are ignored, and whoever keeps the streams knows which those are.
StreamTransition transition(StreamState state, StreamInput input) noexcept;

}  // namespace trunkline::http::http2
