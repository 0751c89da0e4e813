// SPDX-License-Identifier: MIT
// SessionOptions: what a session needs to know from the channel or server it serves.
#pragma once

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/connection_limits.h>

#include <cstdint>

namespace trunkline::session {

enum class Role : std::uint8_t { client, server };

/// Shared by all sessions of a channel or server, which outlives them; the registries must not change meanwhile.
struct SessionOptions {
  ConnectionLimits limits{};
  std::uint32_t max_concurrent_calls = 16384;  ///< servers: told to the peer, more are refused
  bool ordered = false;                        ///< clients: asks for calls to be served one after the other
  const CodecRegistry* codecs = nullptr;
  const CompressorRegistry* compressors = nullptr;
  std::size_t compression_threshold = 1024;
};

}  // namespace trunkline::session
