// SPDX-License-Identifier: MIT
// Turns groups of base64 into bytes.
#include "session/web/text_decoder.h"

#include "codec/base64.h"

#include <algorithm>

namespace trunkline::session::web {

bool TextDecoder::decode(std::string_view piece, BufferWriter& out) {
  if (held_ > 0) {
    const std::size_t size = std::min(group_letters - held_, piece.size());
    std::copy_n(piece.data(), size, group_.data() + held_);
    held_ = static_cast<std::uint8_t>(held_ + size);
    piece.remove_prefix(size);
    if (held_ < group_letters) return true;
    held_ = 0;
    if (!codec::append_decoded_base64({group_.data(), group_.size()}, out)) return false;
  }
  std::string_view groups = piece.substr(0, piece.size() / group_letters * group_letters);
  piece.remove_prefix(groups.size());
  while (!groups.empty()) {
    // Padding ends a text.
    const std::size_t padding = std::min(groups.find('='), groups.size());
    const std::size_t end = std::min((padding / group_letters + 1) * group_letters, groups.size());
    if (!codec::append_decoded_base64(groups.substr(0, end), out)) return false;
    groups.remove_prefix(end);
  }
  std::copy(piece.begin(), piece.end(), group_.begin());
  held_ = static_cast<std::uint8_t>(piece.size());
  return true;
}

}  // namespace trunkline::session::web
