// SPDX-License-Identifier: MIT
// CloseCode: the registered codes, and the payload of close frames.
#include "http/websocket/close_code.h"

#include "base/utf8.h"
#include "http/websocket/opcode.h"

#include <cstddef>

namespace trunkline::http::websocket {

namespace {

constexpr std::size_t code_bytes = 2;

/// Returns the longest start of `text` that has room and does not cut a character.
std::string_view shortened(std::string_view text) noexcept {
  std::size_t size = max_control_bytes - code_bytes;
  if (text.size() <= size) return text;
  while (size > 0 && base::is_utf8_continuation(static_cast<unsigned char>(text[size]))) --size;
  return text.substr(0, size);
}

}  // namespace

bool may_be_sent(CloseCode code) noexcept {
  const auto value = static_cast<std::uint16_t>(code);
  // 1004 is reserved; 1005, 1006 and 1015 stand for a close without a code. 1012 to 1014 were registered later.
  if (value >= 1000 && value <= 1014) return value != 1004 && value != 1005 && value != 1006;
  return value >= 3000 && value <= 4999;
}

CloseReason read_close(ByteSpan payload) noexcept {
  if (payload.empty()) return {};
  CloseReason reason{.error = CloseCode::protocol_error};
  if (payload.size() < code_bytes) return reason;
  const unsigned high = std::to_integer<unsigned>(payload[0]);
  const unsigned low = std::to_integer<unsigned>(payload[1]);
  reason.code = static_cast<CloseCode>(high << 8 | low);
  if (!may_be_sent(reason.code)) return reason;
  reason.text = as_text(payload.subspan(code_bytes));
  reason.error = base::is_utf8(reason.text) ? CloseCode::normal : CloseCode::invalid_payload;
  return reason;
}

std::string close_payload(CloseCode code, std::string_view text) {
  if (code == CloseCode::no_code) return {};
  const auto value = static_cast<std::uint16_t>(code);
  std::string payload{static_cast<char>(value >> 8), static_cast<char>(value & 0xFF)};
  return payload.append(shortened(text));
}

}  // namespace trunkline::http::websocket
