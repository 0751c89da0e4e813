// SPDX-License-Identifier: MIT
// SessionOptions: what a session needs to know from the channel or server that it belongs to.
#pragma once

#include "session/memory_budget.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/connection_limits.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace trunkline::session {

enum class Role : std::uint8_t { client, server };

/// Shared by all sessions of a channel or server. It outlives them, and the registries do not change meanwhile.
struct SessionOptions {
  ConnectionLimits limits{};
  /// Servers: announced to the peer; further calls are refused.
  std::uint32_t max_concurrent_calls = 16384;
  /// Clients: asks the server to serve calls one after the other.
  bool ordered = false;
  /// Clients: what HTTP calls the authority; empty: "localhost".
  std::string authority{};
  /// Clients: ChannelOptions::http_get.
  bool http_get = false;
  /// Clients: ChannelOptions::grpc_web_text.
  bool grpc_web_text = false;
  /// Servers: ServerOptions::allowed_hosts.
  std::vector<std::string> allowed_hosts{};
  /// Servers: ServerOptions::allowed_origins.
  std::vector<std::string> allowed_origins{};
  /// Servers: ServerOptions::cors_origins.
  std::vector<std::string> cors_origins{};
  const CodecRegistry* codecs = nullptr;
  const CompressorRegistry* compressors = nullptr;
  /// Shorter messages are not compressed.
  std::size_t compression_threshold = 1024;
  /// Servers of protocols whose pings are not otherwise limited: the least time between pings of a client that is sent
  /// nothing; 0: any. ServerOptions::min_ping_interval.
  std::chrono::milliseconds min_ping_interval{0};
  /// Pings that come while no call is open may follow each other as closely.
  bool allow_idle_pings = false;
  /// What all sessions hold together. Null: no limit.
  MemoryBudget* memory = nullptr;
};

}  // namespace trunkline::session
