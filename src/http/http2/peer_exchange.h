// SPDX-License-Identifier: MIT
// PeerExchange: SETTINGS, PING and GOAWAY of a connection (RFC 9113, sections 6.5, 6.7 and 6.8).
#pragma once

#include "http/http2/frame_reader.h"
#include "http/http2/settings.h"

#include <trunkline/slice.h>

#include <cstdint>
#include <span>

namespace trunkline::http::http2 {

/// The meaning of a PING from the peer.
enum class PingAnswer : std::uint8_t {
  /// It is a ping of the peer's own, or the answer to one that nobody waits for.
  none,
  /// It answers the ping of begin_goaway().
  goaway,
  /// It answers the ping of write_sample().
  sample,
};

/// The changes that SETTINGS of the peer make.
struct SettingsChange {
  /// The SETTINGS_INITIAL_WINDOW_SIZE from before.
  std::uint32_t old_window = 0;
  /// The least SETTINGS_HEADER_TABLE_SIZE on the way to the last one, which an encoder has to go through (RFC 7541,
  /// section 4.2).
  std::uint32_t least_table_bytes = 0;
};

/// Writes its frames to a buffer of the caller. The caller acts on what changes: windows, the encoder's table.
class PeerExchange {
 public:
  explicit PeerExchange(Sender peer = Sender::client) noexcept : sender_(peer) {}

  /// Returns the settings that the peer has announced.
  const Settings& peer() const noexcept { return peer_; }
  bool has_settings() const noexcept { return has_settings_; }

  /// Writes SETTINGS first, and then WINDOW_UPDATE, which makes the connection's window `window` bytes.
  static void write_greeting(std::span<const Setting> settings, std::uint32_t window, BufferWriter& out);
  /// Applies and acknowledges the settings.
  FrameError on_settings(const Frame& frame, SettingsChange& change, BufferWriter& out);
  /// Answers the ping, or says which of this side's pings it answers.
  PingAnswer on_ping(const Frame& frame, BufferWriter& out) const;
  FrameError on_goaway(const Frame& frame) noexcept;
  bool has_peer_goaway() const noexcept { return peer_goaway_ != no_goaway; }
  /// Returns the last stream of this side at which the peer has looked or will look. Needs has_peer_goaway().
  std::uint32_t peer_goaway() const noexcept { return peer_goaway_; }

  /// Takes the first step: the peer learns that it must not begin further streams, but those on their way are served.
  /// The answer to the ping says that there are no more of these.
  void begin_goaway(BufferWriter& out);
  /// Takes the second step, or ends a connection. Streams after `last`, or after the one that was named before, have
  /// not been looked at.
  void write_goaway(std::uint32_t last, ErrorCode code, std::string_view reason, BufferWriter& out);
  bool has_begun_goaway() const noexcept { return has_begun_; }
  bool has_sent_goaway() const noexcept { return has_sent_; }
  static void write_keepalive(BufferWriter& out);
  /// Writes a ping whose answer ends a sample of BandwidthEstimator.
  static void write_sample(BufferWriter& out);

 private:
  static constexpr std::uint32_t no_goaway = 0xFFFFFFFF;

  const Sender sender_;
  Settings peer_;
  bool has_settings_ = false;
  bool has_begun_ = false;
  bool has_sent_ = false;
  /// The last stream that the GOAWAY frames have named so far; it must not rise.
  std::uint32_t last_named_ = max_stream_id;
  std::uint32_t peer_goaway_ = no_goaway;
};

}  // namespace trunkline::http::http2
