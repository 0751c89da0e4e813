// SPDX-License-Identifier: MIT
// Reads grpc-timeout.
#include "session/grpc/timeout.h"

#include <array>
#include <cstdint>

namespace trunkline::session::grpc {
namespace {

struct TimeoutUnit {
  char letter;
  std::int64_t nanoseconds;
};
constexpr std::array timeout_units{
    TimeoutUnit{'n', 1},
    TimeoutUnit{'u', 1'000},
    TimeoutUnit{'m', 1'000'000},
    TimeoutUnit{'S', 1'000'000'000},
    TimeoutUnit{'M', 60'000'000'000},
    TimeoutUnit{'H', 3'600'000'000'000},
};
constexpr std::size_t max_timeout_digits = 8;

}  // namespace

std::optional<base::Duration> parse_timeout(std::string_view text) noexcept {
  if (text.size() < 2 || text.size() > max_timeout_digits + 1) return std::nullopt;
  std::int64_t value = 0;
  for (const char digit : text.substr(0, text.size() - 1)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + (digit - '0');
  }
  for (const TimeoutUnit& unit : timeout_units) {
    if (unit.letter != text.back()) continue;
    constexpr std::int64_t longest = std::chrono::nanoseconds::max().count();
    if (value > longest / unit.nanoseconds) return base::Duration::max();
    return std::chrono::nanoseconds(value * unit.nanoseconds);
  }
  return std::nullopt;
}

}  // namespace trunkline::session::grpc
