// SPDX-License-Identifier: MIT
// written_text(): what a writer has put into its output, for tests.
#pragma once

#include "base/output_queue.h"

#include <array>
#include <cstddef>
#include <string>

namespace trunkline::session::http1 {

/// Takes all bytes out of the output.
inline std::string written_text(base::OutputQueue& output) {
  std::string bytes;
  while (!output.empty()) {
    std::array<ByteSpan, 16> spans;
    const std::size_t count = output.gather(spans);
    std::size_t size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      bytes += as_text(spans[i]);
      size += spans[i].size();
    }
    output.consume(size);
  }
  return bytes;
}

/// Returns true if the output refers to the slice itself, and has no copy of it.
inline bool borrows(const base::OutputQueue& output, const Slice& slice) {
  std::array<ByteSpan, 16> spans;
  const std::size_t count = output.gather(spans);
  for (std::size_t i = 0; i < count; ++i) {
    if (spans[i].data() == slice.data()) return true;
  }
  return false;
}

}  // namespace trunkline::session::http1
