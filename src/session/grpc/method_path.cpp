// SPDX-License-Identifier: MIT
// Reads paths.
#include "session/grpc/method_path.h"

#include "session/grpc/percent_encoding.h"
#include "wire/header_block.h"

namespace trunkline::session::grpc {
namespace {

/// False for a '%' without two digits.
bool decode_path(std::string_view text, BufferWriter& out) {
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

}  // namespace

std::string_view method_of_path(std::string_view path, BufferWriter& room) {
  if (path.empty() || path[0] != '/') return {};
  std::string_view method = path.substr(1);
  if (method.size() > 3 * wire::max_method_bytes || method.find_first_of("?#") != method.npos) return {};
  if (method.find('%') != method.npos) {
    room.clear();
    if (!decode_path(method, room)) return {};
    method = as_text(room.bytes());
  }
  return wire::is_method_name(method) ? method : std::string_view();
}

}  // namespace trunkline::session::grpc
