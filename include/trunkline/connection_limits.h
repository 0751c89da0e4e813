// SPDX-License-Identifier: MIT
// ConnectionLimits: the limits of one connection. Both sides share them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace trunkline {

/// Limits that this side enforces; some are sent to the peer in the hello (docs/wire.md, section 3). Values out of
/// range are refused when the channel or server is constructed, with the name and the range of the option.
struct ConnectionLimits {
  /// The longest frame body accepted, in bytes; 64 KiB to 256 MiB.
  std::uint32_t max_frame_bytes = 1 << 20;
  /// The longest message accepted, compressed or not; 1 to 2^31 - 1.
  std::uint64_t max_message_bytes = 64u << 20;
  /// The number of bytes to which one byte of a compressed message may decompress; 1 to 2^32 - 1. Messages of up to 64
  /// KiB are exempt. gzip and deflate reach about 1030, lz4 255 and snappy 22 at most; zstd reaches more with data that
  /// hardly varies. Messages beyond the ratio are sent uncompressed.
  std::uint32_t max_decompression_ratio = 2048;
  /// The longest header block accepted; 8 KiB to 1 MiB.
  std::uint32_t max_header_bytes = 16 << 10;
  /// The number of method names remembered per connection; 256 to 65536.
  std::uint32_t max_methods = 1024;
  /// The number of bytes that the peer may send on a connection before they are taken from it; 1 MiB to 2^31 - 1.
  std::uint32_t connection_credit_bytes = 16u << 20;
  /// The number of bytes that the peer may send in one call before the application reads them; 64 KiB to 2^31 - 1.
  std::uint32_t call_credit_bytes = 1u << 20;
  /// The bytes to which a gRPC call's credit may grow where the delay of the network would limit it, and while there is
  /// memory; half of connection_credit_bytes at most. It does not grow if this is not above call_credit_bytes.
  std::uint32_t max_call_credit_bytes = 8u << 20;
  /// The memory for the unfinished and unread incoming messages of a connection, together with the metadata of its open
  /// calls; max_message_bytes or more. A long message for which there is no room waits until there is.
  std::size_t max_unread_bytes = 128u << 20;
  /// The number of encoded bytes that may wait for the socket. Beyond this, further work on the connection waits.
  std::size_t max_unsent_bytes = 1u << 20;
  /// Messages longer than this are sent in chunks of this size; 1 KiB to 16 MiB.
  std::uint32_t chunk_bytes = 128 << 10;
  /// The number of bytes that are read from the socket at a time; 0: only as many as the next frame needs.
  std::size_t read_buffer_bytes = 256 << 10;
  /// The output of a batch is written early once this many bytes have gathered; 0: every frame is written at once.
  std::size_t write_buffer_bytes = 256 << 10;
  /// The time for which output outside a batch may wait for more output to be written with it.
  std::chrono::microseconds flush_delay{0};
  /// Servers: the time from accepting a connection to the client's hello, TLS handshake included. Clients: the time
  /// from being connected to the server's hello; connecting itself, TLS handshake included, has
  /// ChannelOptions::connect_timeout.
  std::chrono::milliseconds handshake_timeout{10000};
  /// The time without incoming data after which the peer is pinged, while calls are open; 0: never. Channels to gRPC
  /// servers, which end connections with more pings, take five minutes for the default. Over HTTP/1.1, which has no
  /// pings, a server has the kernel ask the client, and sends a comment in a stream of events that has been quiet for
  /// so long.
  std::chrono::milliseconds keepalive_interval{30000};
  /// The time without incoming data after a ping that ends the connection. Unset: 20 s for channels and 5 minutes for
  /// servers, since a client that only blocks runs its loop while it waits for a response, and answers no ping while it
  /// works on the last one.
  std::optional<std::chrono::milliseconds> keepalive_timeout{};
  /// The time in which a peer must take something while more than max_unsent_bytes wait for it, and in which it must
  /// send 64 KiB of the frame or the long messages that it has begun, or the rest of them; otherwise the connection
  /// ends. It is noticed after at most twice this time. While others wait for memory, a slow sender has ten seconds,
  /// and so has a client that takes nothing of more than 16 KiB. Servers also end a unary call whose request the client
  /// has not ended in this time. 0: never.
  std::chrono::milliseconds stall_timeout{300000};
  /// If it is true, the peer is pinged also while no call is open.
  bool keepalive_while_idle = false;
};

}  // namespace trunkline
