// SPDX-License-Identifier: MIT
// The table of a stream's states, pair by pair, against the rules of RFC 9113, section 5.1.
#include "http/http2/stream_state.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace trunkline::http::http2 {
namespace {

constexpr std::size_t first_sent = static_cast<std::size_t>(StreamInput::send_headers);

bool ends(StreamInput input) {
  return input == StreamInput::receive_headers_end || input == StreamInput::receive_data_end ||
         input == StreamInput::send_headers_end || input == StreamInput::send_data_end;
}
bool is_headers(StreamInput input) {
  return input == StreamInput::receive_headers || input == StreamInput::receive_headers_end ||
         input == StreamInput::send_headers || input == StreamInput::send_headers_end;
}
bool is_data(StreamInput input) {
  return input == StreamInput::receive_data || input == StreamInput::receive_data_end ||
         input == StreamInput::send_data || input == StreamInput::send_data_end;
}
bool is_reset(StreamInput input) { return input == StreamInput::receive_reset || input == StreamInput::send_reset; }

/// The rules, side by side: each side of a stream is open until it ends.
StreamTransition expected(StreamState state, StreamInput input) {
  const bool is_sent = static_cast<std::size_t>(input) >= first_sent;
  const auto accept = [](StreamState next) {
    return StreamTransition{StreamVerdict::accept, next, ErrorCode::no_error};
  };
  if (state == StreamState::idle) {
    if (is_headers(input)) {
      if (!ends(input)) return accept(StreamState::open);
      return accept(is_sent ? StreamState::half_closed_local : StreamState::half_closed_remote);
    }
    if (is_sent) return {StreamVerdict::forbid, StreamState::closed, ErrorCode::no_error};
    return {StreamVerdict::fail, StreamState::closed, ErrorCode::protocol_error};
  }
  if (state == StreamState::closed) {
    if (is_sent) return {StreamVerdict::forbid, StreamState::closed, ErrorCode::no_error};
    if (is_headers(input)) return {StreamVerdict::fail, StreamState::closed, ErrorCode::stream_closed};
    if (is_data(input)) return {StreamVerdict::reset, StreamState::closed, ErrorCode::stream_closed};
    return {StreamVerdict::ignore, StreamState::closed, ErrorCode::no_error};
  }
  if (is_reset(input)) return accept(StreamState::closed);
  const bool has_ended = state == (is_sent ? StreamState::half_closed_local : StreamState::half_closed_remote);
  if (has_ended && (is_headers(input) || is_data(input))) {
    if (is_sent) return {StreamVerdict::forbid, StreamState::closed, ErrorCode::no_error};
    return {StreamVerdict::reset, StreamState::closed, ErrorCode::stream_closed};
  }
  if (!ends(input)) return accept(state);
  if (state != StreamState::open) return accept(StreamState::closed);
  return accept(is_sent ? StreamState::half_closed_local : StreamState::half_closed_remote);
}

TEST(StreamState, FollowsTheRulesInEveryPair) {
  for (std::size_t state = 0; state < stream_state_count; ++state) {
    for (std::size_t input = 0; input < stream_input_count; ++input) {
      const StreamTransition want = expected(static_cast<StreamState>(state), static_cast<StreamInput>(input));

      const StreamTransition got = transition(static_cast<StreamState>(state), static_cast<StreamInput>(input));

      EXPECT_EQ(got.action, want.action) << "state " << state << ", input " << input;
      EXPECT_EQ(got.next, want.next) << "state " << state << ", input " << input;
      EXPECT_EQ(got.code, want.code) << "state " << state << ", input " << input;
    }
  }
}

}  // namespace
}  // namespace trunkline::http::http2
