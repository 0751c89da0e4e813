// SPDX-License-Identifier: MIT
// BenchSettings: holds the options of `trunkline bench` as given, before they are checked against each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace trunkline::cli::bench {

namespace bench_limits {

constexpr std::uint64_t max_connections = 100000;
/// The largest number of calls in progress.
constexpr std::uint64_t max_calls = 1u << 20;
/// The largest number of bytes of a message.
constexpr std::uint64_t max_bytes = 1u << 30;

}  // namespace bench_limits

/// The options of a load. A member is unset if neither an option nor a preset gives it.
struct BenchSettings {
  std::optional<std::string> kind;
  std::optional<std::uint64_t> connections;
  std::optional<std::uint64_t> outstanding;
  std::optional<std::uint64_t> outstanding_per_connection;
  std::optional<std::uint64_t> threads;
  std::optional<std::uint64_t> bytes;
  std::optional<std::uint64_t> messages;
  std::optional<std::uint64_t> total;
  std::optional<std::string> duration;
  std::optional<std::string> warmup;
  std::optional<double> rate;
  bool is_ordered = false;

  /// Sets the unset members to those of `other`. The two forms of `outstanding` count as one member, and so do the two
  /// forms of the length.
  void fill_from(const BenchSettings& other);
};

}  // namespace trunkline::cli::bench
