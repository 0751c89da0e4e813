// SPDX-License-Identifier: MIT
// Answers a key, and looks for entries of lists in fields.
#include "session/websocket/upgrade.h"

#include "codec/base64.h"
#include "http/http1/alphabets.h"
#include "http/websocket/sha1.h"

#include <algorithm>

namespace trunkline::session::websocket {

std::string accept_of(std::string_view key) {
  const auto digest = http::websocket::sha1(std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
  BufferWriter out;
  codec::append_base64(digest, out);
  return std::string(as_text(out.bytes()));
}

bool is_asked_for(const http::http1::RequestHead& head) noexcept {
  return head.method == "GET" && lists(head.upgrade, "websocket", false);
}

bool lists(std::string_view list, std::string_view wanted, bool is_exact) noexcept {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view entry = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    while (!entry.empty() && http::http1::is_blank(entry.front())) entry.remove_prefix(1);
    while (!entry.empty() && http::http1::is_blank(entry.back())) entry.remove_suffix(1);
    if (is_exact ? entry == wanted : http::http1::equals_ignoring_case(entry, wanted)) return true;
  }
  return false;
}

bool lists(const http::http1::MessageFields& fields, std::string_view lower_case, std::string_view wanted) noexcept {
  return std::any_of(fields.fields.begin(), fields.fields.end(), [&](const http::http1::Field& field) {
    return http::http1::equals_ignoring_case(field.name, lower_case) && lists(field.value, wanted, true);
  });
}

std::string_view only_value(const http::http1::MessageFields& fields, std::string_view lower_case) noexcept {
  std::string_view value;
  int count = 0;
  for (const http::http1::Field& field : fields.fields) {
    if (!http::http1::equals_ignoring_case(field.name, lower_case)) continue;
    value = field.value;
    ++count;
  }
  return count == 1 ? value : std::string_view();
}

}  // namespace trunkline::session::websocket
