// SPDX-License-Identifier: MIT
// Reads and writes timeouts.
#include "session/web/timeout.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>

namespace trunkline::session::web {
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

void append_timeout(base::Duration left, BufferWriter& out) {
  constexpr std::int64_t most = 99'999'999;
  const auto nanoseconds = std::max<std::int64_t>(std::chrono::nanoseconds(left).count(), 1);
  const auto whole = [](std::int64_t value, std::int64_t unit) { return value / unit + (value % unit != 0 ? 1 : 0); };
  std::size_t unit = 0;
  while (whole(nanoseconds, timeout_units[unit].nanoseconds) > most) ++unit;
  std::int64_t value = whole(nanoseconds, timeout_units[unit].nanoseconds);
  // The loop finds the shortest form, which is also the one that repeats.
  for (; unit + 1 < timeout_units.size(); ++unit) {
    const std::int64_t factor = timeout_units[unit + 1].nanoseconds / timeout_units[unit].nanoseconds;
    if (value % factor != 0) break;
    value /= factor;
  }
  std::array<char, max_timeout_digits + 1> text;
  char* const end = std::to_chars(text.data(), text.data() + max_timeout_digits, value).ptr;
  *end = timeout_units[unit].letter;
  out.append(std::string_view(text.data(), static_cast<std::size_t>(end - text.data()) + 1));
}

void append_connect_timeout(base::Duration left, BufferWriter& out) {
  constexpr std::int64_t most = 9'999'999'999;
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  out.append(std::to_string(std::clamp<std::int64_t>(whole, 1, most)));
}

}  // namespace trunkline::session::web
