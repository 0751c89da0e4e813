// SPDX-License-Identifier: MIT
// BenchPresets: a table, and grids whose cells are named by their numbers.
#include "cli/bench/bench_presets.h"

#include "cli/output/suggestion.h"
#include "cli/output/table.h"
#include "cli/output/terminal.h"
#include "cli/process/failure.h"

#include <array>
#include <charconv>
#include <optional>
#include <vector>

namespace trunkline::cli::bench {

void BenchSettings::fill_from(const BenchSettings& other) {
  const auto fill = [](auto& mine, const auto& theirs) {
    if (!mine) mine = theirs;
  };
  if (!outstanding && !outstanding_per_connection) {
    outstanding = other.outstanding;
    outstanding_per_connection = other.outstanding_per_connection;
  }
  // One of the two determines when the run ends.
  if (!total && !duration) {
    total = other.total;
    duration = other.duration;
  }
  fill(kind, other.kind);
  fill(connections, other.connections);
  fill(threads, other.threads);
  fill(bytes, other.bytes);
  fill(messages, other.messages);
  fill(warmup, other.warmup);
  fill(rate, other.rate);
  is_ordered = is_ordered || other.is_ordered;
}

namespace {

struct Preset {
  const char* name;
  const char* summary;
  const char* kind;
  std::uint64_t connections;
  std::uint64_t per_connection;
  std::uint64_t bytes;
  bool is_ordered = false;
};

constexpr std::array presets{
    Preset{"hslam:1c", "one connection, one call at a time", "unary", 1, 1, 8},
    Preset{"hslam:8c", "eight connections, one call at a time on each", "unary", 8, 1, 8},
    Preset{"hslam:1c_p", "one connection, 32 calls, responses in order", "unary", 1, 32, 8, true},
    Preset{"hslam:8c_p", "eight connections, 32 calls on each, responses in order", "unary", 8, 32, 8, true},
    Preset{"hslam:1c_m", "one connection, 32 calls", "unary", 1, 32, 8},
    Preset{"hslam:8c_m", "eight connections, 32 calls on each", "unary", 8, 32, 8},
    Preset{"hslam:1c_pb", "one connection, 512 calls, responses in order", "unary", 1, 512, 8, true},
    Preset{"hslam:8c_pb", "eight connections, 512 calls on each, responses in order", "unary", 8, 512, 8, true},
    Preset{"hslam:1c_mb", "one connection, 512 calls", "unary", 1, 512, 8},
    Preset{"hslam:8c_mb", "eight connections, 512 calls on each", "unary", 8, 512, 8},
    Preset{"hslam:1c_mbn", "one connection, 512 one-way calls", "one-way", 1, 512, 8},
    Preset{"hslam:8c_mbn", "eight connections, 512 one-way calls on each", "one-way", 8, 512, 8},
    Preset{"rpc-bench:1k", "one connection, a call for each of two cores, 1 KiB (there over TLS)", "unary", 1, 2, 1024},
    Preset{"rpc-bench:64k", "the same, 64 KiB", "unary", 1, 2, 65536},
    Preset{"rpc-bench:stream-1k", "two streams of ping-pong, 1 KiB", "bidi-stream", 1, 2, 1024},
    Preset{"rpc-bench:stream-64k", "the same, 64 KiB", "bidi-stream", 1, 2, 65536},
    Preset{"rpcz:1k", "one connection, eight calls, 1 KiB", "unary", 1, 8, 1024},
    Preset{"rpcz:4k", "the same, 4 KiB", "unary", 1, 8, 4096},
    Preset{"rpcz:16k", "the same, 16 KiB", "unary", 1, 8, 16384},
    Preset{"rpcz:32k", "the same, 32 KiB", "unary", 1, 8, 32768},
    Preset{"rpcz:64k", "the same, 64 KiB", "unary", 1, 8, 65536},
    Preset{"contest:1", "ten connections, one call at a time on each, 256 bytes", "unary", 10, 1, 256},
    Preset{"contest:2", "twenty connections, 50 calls on each, 256 bytes", "unary", 20, 50, 256},
};
constexpr std::string_view grid = "exposed:";
constexpr std::string_view grid_name = "exposed:BYTES/CONNECTIONS/CALLS";
constexpr const char* grid_duration = "5s";

/// Parses the cell of a grid, such as "8/1/500"; nullopt if it is not one.
std::optional<BenchSettings> grid_cell(std::string_view text) {
  std::array<std::uint64_t, 3> numbers{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t index = 0; index < numbers.size(); ++index) {
    const auto read = std::from_chars(at, end, numbers[index]);
    if (read.ec != std::errc()) return std::nullopt;
    at = read.ptr;
    if (index + 1 < numbers.size() && (at == end || *at++ != '/')) return std::nullopt;
  }
  if (at != end || numbers[1] == 0 || numbers[2] == 0) return std::nullopt;
  constexpr std::array limits{bench_limits::max_bytes, bench_limits::max_connections, bench_limits::max_calls};
  constexpr std::array<std::string_view, 3> what{"BYTES", "CONNECTIONS", "CALLS"};
  for (std::size_t index = 0; index < numbers.size(); ++index) {
    if (numbers[index] <= limits[index]) continue;
    throw process::usage_error("--preset 'exposed:" + std::string(text) + "': " + std::string(what[index]) +
                               " may be at most " + std::to_string(limits[index]));
  }
  BenchSettings settings;
  settings.kind = "unary";
  settings.bytes = numbers[0];
  // The grid has cells with fewer calls than connections; the remaining connections are idle.
  settings.connections = std::min(numbers[1], numbers[2]);
  settings.outstanding = numbers[2];
  settings.duration = grid_duration;
  return settings;
}

}  // namespace

BenchSettings find_preset(std::string_view name) {
  if (name.starts_with(grid)) {
    if (auto cell = grid_cell(name.substr(grid.size()))) return *cell;
    throw process::usage_error("--preset '" + output::escaped(output::fit_text(name, 60)) + "': a cell is " +
                               std::string(grid_name) + ", such as exposed:8/1/500");
  }
  std::vector<std::string> names;
  for (const Preset& each : presets) {
    names.emplace_back(each.name);
    if (each.name != name) continue;
    BenchSettings settings;
    settings.kind = each.kind;
    settings.connections = each.connections;
    settings.outstanding_per_connection = each.per_connection;
    settings.bytes = each.bytes;
    settings.is_ordered = each.is_ordered;
    if (name.starts_with("contest:")) settings.duration = "10s";
    return settings;
  }
  throw process::usage_error("unknown preset '" + output::escaped(output::fit_text(name, 60)) +
                             "' (--preset list shows all)" + output::did_you_mean(name, names));
}

std::string list_presets() {
  std::string text;
  const auto add = [&](std::string_view name, std::string_view summary) {
    text.append(name).append(34 - name.size(), ' ').append(summary).append("\n");
  };
  for (const Preset& each : presets) add(each.name, each.summary);
  add(grid_name, "a cell of the grid, such as exposed:8/1/500; 5 s");
  return text;
}

}  // namespace trunkline::cli::bench
