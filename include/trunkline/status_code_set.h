// SPDX-License-Identifier: MIT
// StatusCodeSet: some of the 17 status codes.
#pragma once

#include <trunkline/status.h>

#include <cstdint>
#include <initializer_list>

namespace trunkline {

/// A set of status codes. It is a regular value type.
class StatusCodeSet {
 public:
  constexpr StatusCodeSet() noexcept = default;
  constexpr StatusCodeSet(std::initializer_list<StatusCode> codes) noexcept {
    for (const StatusCode code : codes) add(code);
  }

  constexpr StatusCodeSet& add(StatusCode code) noexcept {
    bits_ |= bit_of(code);
    return *this;
  }
  constexpr bool contains(StatusCode code) const noexcept { return (bits_ & bit_of(code)) != 0; }
  constexpr bool empty() const noexcept { return bits_ == 0; }

  bool operator==(const StatusCodeSet&) const = default;

 private:
  static constexpr std::uint32_t bit_of(StatusCode code) noexcept {
    return std::uint32_t{1} << static_cast<unsigned>(code);
  }

  std::uint32_t bits_ = 0;
};

}  // namespace trunkline
