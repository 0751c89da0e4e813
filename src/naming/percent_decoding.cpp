// SPDX-License-Identifier: MIT
// percent_decoded(): replaces each "%41" by the byte that it stands for.
#include "naming/percent_decoding.h"

#include <charconv>

namespace trunkline::naming {

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned value = 0;
    const char* const digits = text.data() + i + 1;
    const bool is_long_enough = i + 2 < text.size();
    if (!is_long_enough || std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2 || value == 0) {
      return std::nullopt;
    }
    decoded += static_cast<char>(value);
    i += 2;
  }
  return decoded;
}

}  // namespace trunkline::naming
