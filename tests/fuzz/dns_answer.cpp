// SPDX-License-Identifier: MIT
// The time to live of DNS answers: never more bytes than there are, and no other time of a message that is cut off.
#include "naming/dns/answer_ttl.h"

#include "fuzz/requirement.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

using trunkline::fuzz::require;
using trunkline::naming::dns::answer_ttl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::optional<std::uint32_t> whole = answer_ttl(std::span(data, size));
  require(!whole || *whole <= 0x7FFFFFFF);
  for (std::size_t end = 0; end < size; ++end) {
    // Of its own, so that a read behind its end is found.
    const std::vector<std::uint8_t> cut(data, data + end);
    const std::optional<std::uint32_t> part = answer_ttl(cut);
    require(!part || part == whole);
  }
  return 0;
}
