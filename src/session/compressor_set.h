// SPDX-License-Identifier: MIT
// CompressorSet: some of the compressors of a registry, in one word.
#pragma once

#include <trunkline/compressor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace trunkline::session {

/// Names compressors by their positions in SessionOptions::compressors, which holds at most 32. Any thread may copy it.
class CompressorSet {
 public:
  void insert(std::size_t position) noexcept { bits_ |= bit(position); }
  bool contains(std::size_t position) const noexcept { return (bits_ & bit(position)) != 0; }
  void insert(CompressorSet others) noexcept { bits_ |= others.bits_; }
  bool empty() const noexcept { return bits_ == 0; }
  bool operator==(const CompressorSet&) const = default;

 private:
  static constexpr std::uint32_t bit(std::size_t position) noexcept {
    return position < 32 ? std::uint32_t{1} << position : 0;
  }

  std::uint32_t bits_ = 0;
};

}  // namespace trunkline::session
