// SPDX-License-Identifier: MIT
// PeerExchange: the frames of a connection that are about no stream.
#include "http/http2/peer_exchange.h"

#include "http/http2/frame_writer.h"

#include <algorithm>

namespace trunkline::http::http2 {
namespace {

constexpr PingValue goaway_ping{std::byte{'g'}, std::byte{'o'}, std::byte{'a'}, std::byte{'w'},
                                std::byte{'a'}, std::byte{'y'}, std::byte{0},   std::byte{1}};
constexpr PingValue keepalive_ping{std::byte{'a'}, std::byte{'l'}, std::byte{'i'}, std::byte{'v'},
                                   std::byte{'e'}, std::byte{0},   std::byte{0},   std::byte{1}};
constexpr PingValue sample_ping{std::byte{'s'}, std::byte{'a'}, std::byte{'m'}, std::byte{'p'},
                                std::byte{'l'}, std::byte{'e'}, std::byte{0},   std::byte{1}};
constexpr std::uint32_t default_window = 65535;
constexpr std::size_t max_reason_bytes = 512;

}  // namespace

void PeerExchange::write_greeting(std::span<const Setting> settings, std::uint32_t window, BufferWriter& out) {
  append_settings(settings, out);
  if (window > default_window) append_window_update(0, window - default_window, out);
}

FrameError PeerExchange::on_settings(const Frame& frame, SettingsChange& change, BufferWriter& out) {
  change = {.old_window = peer_.initial_window_size, .least_table_bytes = peer_.header_table_size};
  if (frame.header.has(flag::ack)) return {};
  has_settings_ = true;
  SettingsReader reader(frame.payload);
  for (Setting setting; reader.next(setting);) {
    if (const FrameError error = peer_.apply(setting, sender_)) return error;
    change.least_table_bytes = std::min(change.least_table_bytes, peer_.header_table_size);
  }
  append_settings_ack(out);
  return {};
}

PingAnswer PeerExchange::on_ping(const Frame& frame, BufferWriter& out) const {
  const PingValue value = read_ping(frame.payload);
  if (frame.header.has(flag::ack)) {
    if (value == sample_ping) return PingAnswer::sample;
    return has_begun_ && value == goaway_ping ? PingAnswer::goaway : PingAnswer::none;
  }
  append_ping(value, true, out);
  return PingAnswer::none;
}

FrameError PeerExchange::on_goaway(const Frame& frame) noexcept {
  const std::uint32_t last = read_goaway(frame.payload).last_stream;
  if (has_peer_goaway() && last > peer_goaway_) {
    return connection_error(ErrorCode::protocol_error, "GOAWAY names a later stream than the one before");
  }
  peer_goaway_ = last;
  return {};
}

void PeerExchange::begin_goaway(BufferWriter& out) {
  has_begun_ = true;
  append_goaway(max_stream_id, ErrorCode::no_error, {}, out);
  append_ping(goaway_ping, false, out);
}

void PeerExchange::write_goaway(std::uint32_t last, ErrorCode code, std::string_view reason, BufferWriter& out) {
  has_sent_ = true;
  last_named_ = std::min(last_named_, last);
  append_goaway(last_named_, code, as_bytes(reason.substr(0, max_reason_bytes)), out);
}

void PeerExchange::write_sample(BufferWriter& out) { append_ping(sample_ping, false, out); }

void PeerExchange::write_keepalive(BufferWriter& out) { append_ping(keepalive_ping, false, out); }

}  // namespace trunkline::http::http2
