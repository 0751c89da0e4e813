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

/// All sessions of a channel or server share the options, which outlive them. The registries do not change meanwhile.
struct SessionOptions {
  ConnectionLimits limits{};
  /// A server announces this to the peer, and refuses further calls.
  std::uint32_t max_concurrent_calls = 16384;
  /// A client asks the server to serve its calls one after the other.
  bool ordered = false;
  /// A client sends this as what HTTP calls the authority. If it is empty, it sends "localhost".
  std::string authority{};
  /// A client sends this as its user-agent over HTTP. If it is empty, it sends the name and version of this library.
  std::string user_agent{};
  /// A client has this from ChannelOptions::http_get.
  bool http_get = false;
  /// A client has this from ChannelOptions::grpc_web_text.
  bool grpc_web_text = false;
  /// A server has this from ServerOptions::allowed_hosts.
  std::vector<std::string> allowed_hosts{};
  /// A server has this from ServerOptions::allowed_origins.
  std::vector<std::string> allowed_origins{};
  /// A server has this from ServerOptions::cors_origins.
  std::vector<std::string> cors_origins{};
  const CodecRegistry* codecs = nullptr;
  const CompressorRegistry* compressors = nullptr;
  /// Messages shorter than this are not compressed.
  std::size_t compression_threshold = 1024;
  /// A client that is sent nothing must let this time pass between pings, where the protocol of a server does not limit
  /// them otherwise (ServerOptions::min_ping_interval). 0 allows any number of pings.
  std::chrono::milliseconds min_ping_interval{0};
  /// Pings that come while no call is open may follow each other as closely as others.
  bool allow_idle_pings = false;
  /// The budget counts what all sessions hold together. If it is null, there is no limit.
  MemoryBudget* memory = nullptr;
};

}  // namespace trunkline::session
