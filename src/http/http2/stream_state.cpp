// SPDX-License-Identifier: MIT
// StreamState: the table of a stream's states.
#include "http/http2/stream_state.h"

#include <array>
#include <cstddef>

namespace trunkline::http::http2 {
namespace {

using Row = std::array<StreamTransition, stream_input_count>;

constexpr StreamTransition to(StreamState next) { return {StreamVerdict::accept, next, ErrorCode::no_error}; }
constexpr StreamTransition ignore{StreamVerdict::ignore, StreamState::closed, ErrorCode::no_error};
constexpr StreamTransition forbid{StreamVerdict::forbid, StreamState::closed, ErrorCode::no_error};
constexpr StreamTransition fail(ErrorCode code) { return {StreamVerdict::fail, StreamState::closed, code}; }
constexpr StreamTransition reset(ErrorCode code) { return {StreamVerdict::reset, StreamState::closed, code}; }

constexpr StreamState open = StreamState::open;
constexpr StreamState local = StreamState::half_closed_local;
constexpr StreamState remote = StreamState::half_closed_remote;
constexpr StreamState closed = StreamState::closed;
constexpr StreamTransition early = fail(ErrorCode::protocol_error);
constexpr StreamTransition late = reset(ErrorCode::stream_closed);
constexpr StreamTransition dead = fail(ErrorCode::stream_closed);

/// The columns are in the order of StreamInput: received HEADERS, with END_STREAM, DATA, with END_STREAM, RST_STREAM,
/// WINDOW_UPDATE; sent HEADERS, with END_STREAM, DATA, with END_STREAM, RST_STREAM.
constexpr std::array<Row, stream_state_count> table{{
    // idle
    {{to(open), to(remote), early, early, early, early, to(open), to(local), forbid, forbid, forbid}},
    // open
    {{to(open), to(remote), to(open), to(remote), to(closed), to(open), to(open), to(local), to(open), to(local),
      to(closed)}},
    // half-closed (local)
    {{to(local), to(closed), to(local), to(closed), to(closed), to(local), forbid, forbid, forbid, forbid, to(closed)}},
    // half-closed (remote)
    {{late, late, late, late, to(closed), to(remote), to(remote), to(closed), to(remote), to(closed), to(closed)}},
    // closed
    {{dead, dead, late, late, ignore, ignore, forbid, forbid, forbid, forbid, forbid}},
}};

}  // namespace

StreamTransition transition(StreamState state, StreamInput input) noexcept {
  return table[static_cast<std::size_t>(state)][static_cast<std::size_t>(input)];
}

}  // namespace trunkline::http::http2
