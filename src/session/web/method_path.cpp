// SPDX-License-Identifier: MIT
// Reads and writes paths.
#include "session/web/method_path.h"

#include "session/web/percent_encoding.h"
#include "wire/header_block.h"

#include <algorithm>

namespace trunkline::session::web {
namespace {

constexpr bool stands_for_itself(char letter) noexcept {
  return letter > 0x20 && letter < 0x7F && letter != '%' && letter != '?' && letter != '#';
}

}  // namespace

bool append_decoded_path(std::string_view text, BufferWriter& out) {
  for (std::size_t percent; (percent = text.find('%')) != text.npos; text.remove_prefix(3)) {
    out.append(text.substr(0, percent));
    text.remove_prefix(percent);
    const int byte = percent_encoded_byte(text);
    if (byte < 0) return false;
    out.push_back(static_cast<std::byte>(byte));
  }
  out.append(text);
  return true;
}

std::string_view method_of_path(std::string_view path, BufferWriter& room) {
  if (path.empty() || path[0] != '/') return {};
  std::string_view method = path.substr(1);
  if (method.size() > 3 * wire::max_method_bytes || method.find_first_of("?#") != method.npos) return {};
  if (method.find('%') != method.npos) {
    room.clear();
    if (!append_decoded_path(method, room)) return {};
    method = as_text(room.bytes());
  }
  return wire::is_method_name(method) ? method : std::string_view();
}

void append_path(std::string_view method, BufferWriter& out) {
  out.push_back(std::byte{'/'});
  while (!method.empty()) {
    const auto plain =
        static_cast<std::size_t>(std::find_if_not(method.begin(), method.end(), stands_for_itself) - method.begin());
    out.append(method.substr(0, plain));
    method.remove_prefix(plain);
    if (method.empty()) return;
    append_percent_encoded_byte(static_cast<unsigned char>(method.front()), out);
    method.remove_prefix(1);
  }
}

}  // namespace trunkline::session::web
