// SPDX-License-Identifier: MIT
// MemoryUsage: how much of its memory a channel uses.
#pragma once

#include <cstdint>

namespace trunkline {

/// The memory that a channel uses; Channel::memory_usage() returns it. Memory of connections is counted in steps of 64
/// KiB, and a connection that holds less than 16 KiB counts as nothing.
struct MemoryUsage {
  /// The bytes that are held for the servers: input that is incomplete or unread, output that waits, metadata and the
  /// state of calls.
  std::uint64_t used_bytes = 0;
  /// The limit: ChannelOptions::max_memory_bytes, or four of the longest messages if that is more.
  std::uint64_t max_bytes = 0;
};

}  // namespace trunkline
