// SPDX-License-Identifier: MIT
// Writes WINDOW_UPDATE frames.
#include "http/http2/receive_windows.h"

#include "http/http2/frame.h"

#include <algorithm>
#include <utility>

namespace trunkline::http::http2 {

void ReceiveWindows::give_back(std::uint32_t bytes) {
  returnable_ += bytes;
  const bool is_due = returnable_ >= limits_.connection_credit_bytes / 2 ||
                      (returnable_ >= least_update && returnable_ > window_.available());
  if (!is_due) return;
  static_cast<void>(window_.add(returnable_));
  write_update(0, std::exchange(returnable_, 0));
}

void ReceiveWindows::give_back(Stream& stream, std::int64_t bytes) {
  stream.returnable += bytes;
  // A message that is released inside its own event takes from the debt before it is added to it.
  std::int64_t grant = stream.returnable - std::max<std::int64_t>(stream.debt, 0);
  // A client's further bytes for a call that has been finished are dropped, and it gets no window for more of them.
  if (side_ == Sender::server && stream.is_finished) return;
  if (stream.has_peer_ended() || grant <= 0 || grant < stream.receive_target / 2) return;
  stream.returnable -= grant;
  grant += std::int64_t{stream_bytes()} - stream.receive_target;
  stream.receive_target = stream_bytes();
  static_cast<void>(stream.receive_window.add(static_cast<std::uint32_t>(grant)));
  write_update(stream.id, static_cast<std::uint32_t>(grant));
}

void ReceiveWindows::add_waiting(std::uint32_t bytes) {
  const std::uint64_t before = withheld();
  waiting_ += bytes;
  give_back(bytes - static_cast<std::uint32_t>(withheld() - before));
}

void ReceiveWindows::drop_waiting(std::uint32_t bytes) {
  const std::uint64_t before = withheld();
  waiting_ -= bytes;
  give_back(static_cast<std::uint32_t>(before - withheld()));
  if (waiting_ <= limits_.connection_credit_bytes / 2) further_ = 0;
}

void ReceiveWindows::open_for_waiting() {
  const std::uint64_t before = withheld();
  further_ += std::max(least_update, limits_.connection_credit_bytes / 8);
  give_back(static_cast<std::uint32_t>(before - withheld()));
}

void ReceiveWindows::write_update(std::uint32_t stream, std::uint32_t bytes) {
  constexpr std::size_t payload = 4;
  std::byte* const out = output_.reserve(frame_header_bytes + payload);
  write_frame_header({.length = payload, .type = FrameType::window_update, .stream = stream}, out);
  store_uint32(out + frame_header_bytes, bytes);
  output_.commit(frame_header_bytes + payload);
}

}  // namespace trunkline::http::http2
