// SPDX-License-Identifier: MIT
// ConnectionLimits and LogRecord: what channels and servers have in common per connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace trunkline {

/// Sent to the peer in the hello (docs/wire.md, section 3) or kept to by this side. Out-of-range values are refused
/// when the channel or server is made, with the option's name and range.
struct ConnectionLimits {
  std::uint32_t max_frame_bytes = 1 << 20;            ///< longest frame body accepted; 64 KiB to 256 MiB
  std::uint64_t max_message_bytes = 64u << 20;        ///< longest message accepted, compressed or not; 1 to 2^31 - 1
  std::uint32_t max_header_bytes = 16 << 10;          ///< longest header block accepted; 8 KiB to 1 MiB
  std::uint32_t max_methods = 1024;                   ///< method names remembered per connection; 256 to 65536
  std::uint32_t connection_credit_bytes = 16u << 20;  ///< unread bytes a peer may have under way; 1 MiB to 2^31 - 1
  std::uint32_t call_credit_bytes = 1u << 20;         ///< the same per call; 64 KiB to 2^31 - 1
  /// All unfinished and unread incoming messages of a connection together, with the metadata of its open calls.
  std::size_t max_unread_bytes = 128u << 20;
  std::size_t max_unsent_bytes =
      1u << 20;  ///< encoded bytes waiting for the socket before further work on the connection waits
  std::uint32_t chunk_bytes = 128 << 10;  ///< messages longer than this travel in pieces of this size; 1 KiB to 16 MiB
  std::size_t read_buffer_bytes = 256 << 10;  ///< read at once from the socket; 0: only what the next frame needs
  std::size_t write_buffer_bytes =
      256 << 10;  ///< written early within a batch once this much has gathered; 0: every frame
  std::chrono::microseconds flush_delay{0};  ///< how long output outside a batch may wait for more of its kind
  /// Servers: from accepting a connection to the client's hello, TLS handshake included. Clients: from being connected
  /// (which has ChannelOptions::connect_timeout, TLS handshake included) to the server's hello.
  std::chrono::milliseconds handshake_timeout{10000};
  std::chrono::milliseconds keepalive_interval{0};     ///< silence after which the peer is pinged; 0: never
  std::chrono::milliseconds keepalive_timeout{20000};  ///< silence after a ping that ends the connection
};

enum class LogLevel : std::uint8_t { debug, info, warning, error };

/// One thing worth telling an operator. Views are valid during the callback.
struct LogRecord {
  LogLevel level = LogLevel::info;
  std::string_view message;
  std::string_view method;  ///< empty if it is not about a call
  std::string_view peer;    ///< empty if it is not about a connection
};

/// Called on the loop's thread (a worker's for blocking handlers); must be thread-safe and must not throw.
using LogCallback = std::function<void(const LogRecord& record)>;

}  // namespace trunkline
