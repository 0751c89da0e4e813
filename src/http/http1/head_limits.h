// SPDX-License-Identifier: MIT
// HeadLimits: limits the length of the head of a message.
#pragma once

#include <cstddef>

namespace trunkline::http::http1 {

struct HeadLimits {
  /// The longest head: all lines with their ends.
  std::size_t max_head_bytes = 16 << 10;
  /// The longest first line without its end.
  std::size_t max_first_line_bytes = 8 << 10;
  std::size_t max_fields = 128;
};

}  // namespace trunkline::http::http1
