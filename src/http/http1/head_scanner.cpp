// SPDX-License-Identifier: MIT
// HeadScanner: searches for the end of a head.
#include "http/http1/head_scanner.h"

#include <algorithm>
#include <cstring>

namespace trunkline::http::http1 {

HeadScanner::Outcome HeadScanner::scan(std::string_view input) noexcept {
  const std::string_view head = input.substr(0, limits_.max_head_bytes);
  for (;;) {
    const void* const found = at_ < head.size() ? std::memchr(head.data() + at_, '\n', head.size() - at_) : nullptr;
    const bool is_first = line_ == 0;
    if (found == nullptr) {
      at_ = std::max(at_, head.size());
      if (is_first && at_ > limits_.max_first_line_bytes + 1) return refuse(MessageError::target_too_long);
      if (head.size() < limits_.max_head_bytes) return Outcome::needs_input;
      return refuse(is_first ? MessageError::target_too_long : MessageError::head_too_long);
    }
    const auto feed = static_cast<std::size_t>(static_cast<const char*>(found) - head.data());
    if (feed == line_ || head[feed - 1] != '\r') return refuse(MessageError::bare_line_feed);
    const std::size_t size = feed - 1 - line_;
    line_ = at_ = feed + 1;
    if (is_first) {
      if (size > limits_.max_first_line_bytes) return refuse(MessageError::target_too_long);
      first_line_size_ = size;
    } else if (size == 0) {
      return Outcome::head;
    }
  }
}

}  // namespace trunkline::http::http1
