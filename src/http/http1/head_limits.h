// SPDX-License-Identifier: MIT
// HeadLimits: how long the head of a message may be.
#pragma once

#include <cstddef>

namespace trunkline::http::http1 {

struct HeadLimits {
  /// All lines with their ends.
  std::size_t max_head_bytes = 16 << 10;
  /// The first line without its end.
  std::size_t max_first_line_bytes = 8 << 10;
  std::size_t max_fields = 128;
};

}  // namespace trunkline::http::http1
