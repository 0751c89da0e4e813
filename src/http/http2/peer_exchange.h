// SPDX-License-Identifier: MIT
// PeerExchange: SETTINGS, PING and GOAWAY of a connection (RFC 9113, sections 6.5, 6.7 and 6.8).
#pragma once

#include "http/http2/frame_reader.h"
#include "http/http2/settings.h"

#include <trunkline/slice.h>

#include <cstdint>
#include <span>

namespace trunkline::http::http2 {

/// What a PING from the peer is.
enum class PingAnswer : std::uint8_t {
  /// A ping of its own, or the answer to one that nobody waits for.
  none,
  /// To the ping of begin_goaway().
  goaway,
  /// To that of write_sample().
  sample,
};

/// What SETTINGS of the peer have changed.
struct SettingsChange {
  /// SETTINGS_INITIAL_WINDOW_SIZE from before.
  std::uint32_t old_window = 0;
  /// The least SETTINGS_HEADER_TABLE_SIZE on the way to the last one, which an encoder has to go through (RFC 7541,
  /// section 4.2).
  std::uint32_t least_table_bytes = 0;
};

/// Writes its frames to a buffer of the caller. The caller acts on what changes: windows, the encoder's table.
class PeerExchange {
 public:
  explicit PeerExchange(Sender peer = Sender::client) noexcept : sender_(peer) {}

  /// What the peer has announced.
  const Settings& peer() const noexcept { return peer_; }
  bool has_settings() const noexcept { return has_settings_; }

  /// SETTINGS come first, and WINDOW_UPDATE makes the connection's window `window` bytes.
  static void write_greeting(std::span<const Setting> settings, std::uint32_t window, BufferWriter& out);
  /// Acknowledges the settings.
  FrameError on_settings(const Frame& frame, SettingsChange& change, BufferWriter& out);
  /// Answers the ping, or says which of this side's it is the answer to.
  PingAnswer on_ping(const Frame& frame, BufferWriter& out) const;
  FrameError on_goaway(const Frame& frame) noexcept;
  bool has_peer_goaway() const noexcept { return peer_goaway_ != no_goaway; }
  /// Needs has_peer_goaway(). The peer has not looked at later streams of this side, and will not.
  std::uint32_t peer_goaway() const noexcept { return peer_goaway_; }

  /// The first step: the peer learns that it must not begin further streams, but those on their way are served. The
  /// answer to the ping says that there are no more of these.
  void begin_goaway(BufferWriter& out);
  /// The second step, and the end of a connection. Streams after `last`, or after the one that was named before, have
  /// not been looked at.
  void write_goaway(std::uint32_t last, ErrorCode code, std::string_view reason, BufferWriter& out);
  bool has_begun_goaway() const noexcept { return has_begun_; }
  bool has_sent_goaway() const noexcept { return has_sent_; }
  static void write_keepalive(BufferWriter& out);
  /// A ping whose answer ends a sample of BandwidthEstimator.
  static void write_sample(BufferWriter& out);

 private:
  static constexpr std::uint32_t no_goaway = 0xFFFFFFFF;

  const Sender sender_;
  Settings peer_;
  bool has_settings_ = false;
  bool has_begun_ = false;
  bool has_sent_ = false;
  /// Of the GOAWAY frames so far; it must not rise.
  std::uint32_t last_named_ = max_stream_id;
  std::uint32_t peer_goaway_ = no_goaway;
};

}  // namespace trunkline::http::http2
