// SPDX-License-Identifier: MIT
// shown(): cuts, cleans and escapes.
#include "wire/shown_text.h"

#include "wire/text.h"

namespace trunkline::wire {

std::string shown(std::string_view text, std::size_t limit) {
  text = utf8_prefix(text, limit);
  std::string clean(text.size(), '\0');
  copy_as_utf8(text, reinterpret_cast<std::byte*>(clean.data()));
  return escape_controls(clean);
}

}  // namespace trunkline::wire
