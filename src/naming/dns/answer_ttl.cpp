// SPDX-License-Identifier: MIT
// answer_ttl(): passes over the records of a DNS message.
#include "naming/dns/answer_ttl.h"

#include <algorithm>
#include <cstddef>

namespace trunkline::naming::dns {

namespace {

class Cursor {
 public:
  explicit Cursor(std::span<const unsigned char> rest) noexcept : rest_(rest) {}

  bool skip(std::size_t bytes) noexcept {
    if (rest_.size() < bytes) return false;
    rest_ = rest_.subspan(bytes);
    return true;
  }
  std::optional<std::uint32_t> number(std::size_t bytes) noexcept {
    if (rest_.size() < bytes) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | rest_[i];
    rest_ = rest_.subspan(bytes);
    return value;
  }
  /// Skips the labels up to the root, or up to a pointer.
  bool skip_name() noexcept {
    while (const auto length = number(1)) {
      if (*length == 0) return true;
      if ((*length & 0xC0) == 0xC0) return skip(1);
      if ((*length & 0xC0) != 0 || !skip(*length)) return false;
    }
    return false;
  }

 private:
  std::span<const unsigned char> rest_;
};

}  // namespace

std::optional<std::uint32_t> answer_ttl(std::span<const unsigned char> message) noexcept {
  Cursor cursor(message);
  if (!cursor.skip(4)) return std::nullopt;
  const auto questions = cursor.number(2);
  const auto answers = cursor.number(2);
  if (!questions || !answers || !cursor.skip(4)) return std::nullopt;
  for (std::uint32_t i = 0; i < *questions; ++i) {
    if (!cursor.skip_name() || !cursor.skip(4)) return std::nullopt;
  }
  std::optional<std::uint32_t> lowest;
  for (std::uint32_t i = 0; i < *answers; ++i) {
    if (!cursor.skip_name() || !cursor.skip(4)) return std::nullopt;
    const auto ttl = cursor.number(4);
    const auto length = cursor.number(2);
    if (!ttl || !length || !cursor.skip(*length)) return std::nullopt;
    // RFC 2181 section 8: a number whose highest bit is set means 0.
    const std::uint32_t seconds = *ttl > 0x7FFFFFFF ? 0 : *ttl;
    lowest = std::min(lowest.value_or(seconds), seconds);
  }
  return lowest;
}

}  // namespace trunkline::naming::dns
