// SPDX-License-Identifier: MIT
// BenchSettings: what the options of `trunkline bench` say, before it is known whether they go together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace trunkline::cli {

namespace bench_limits {

constexpr std::uint64_t most_connections = 100000;
constexpr std::uint64_t most_calls = 1u << 20;  ///< under way
constexpr std::uint64_t most_bytes = 1u << 30;  ///< of a message

}  // namespace bench_limits

/// Unset: not said, neither by an option nor by a preset.
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

  /// Those that are not said here are taken from `other`; a number of calls that is said in either way hides both.
  void fill_from(const BenchSettings& other);
};

}  // namespace trunkline::cli
