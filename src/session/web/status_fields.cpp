// SPDX-License-Identifier: MIT
// Turns statuses into fields, even in little room, and fields into statuses.
#include "session/web/status_fields.h"

#include "codec/base64.h"
#include "session/web/percent_encoding.h"
#include "session/web/rpc_status.h"
#include "wire/shown_text.h"
#include "wire/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>

namespace trunkline::session::web {
namespace {

constexpr std::array<std::string_view, 17> code_texts{"0", "1",  "2",  "3",  "4",  "5",  "6",  "7", "8",
                                                      "9", "10", "11", "12", "13", "14", "15", "16"};

constexpr std::size_t cost_of_field(std::string_view name, std::size_t value_bytes) noexcept {
  constexpr std::size_t overhead_bytes = 32;
  return name.size() + value_bytes + overhead_bytes;
}

constexpr std::size_t unpadded_base64_bytes(std::size_t content_bytes) noexcept {
  return content_bytes / 3 * 4 + (content_bytes % 3 * 4 + 2) / 3;
}

/// The value of a field neither begins nor ends with a space (RFC 9113, section 8.2.1), so such a space is encoded too.
void append_encoded_value(std::string_view text, BufferWriter& out) {
  if (text.starts_with(' ')) {
    append_percent_encoded_byte(' ', out);
    text.remove_prefix(1);
  }
  const bool ends_with_space = text.ends_with(' ');
  if (ends_with_space) text.remove_suffix(1);
  append_percent_encoded(text, out);
  if (ends_with_space) append_percent_encoded_byte(' ', out);
}

/// Returns the longest start of the text of which append_encoded_value() makes at most `limit` bytes. If the text is
/// cut, spaces at the end are left out.
std::string_view prefix_for_encoding(std::string_view text, std::size_t limit) noexcept {
  std::size_t used = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_outer_space = text[i] == ' ' && (i == 0 || i + 1 == text.size());
    used += is_outer_space || needs_percent_encoding(text.substr(i, 1)) ? 3 : 1;
    if (used <= limit) continue;
    std::string_view prefix = wire::utf8_prefix(text, i);
    while (prefix.ends_with(' ')) prefix.remove_suffix(1);
    return prefix;
  }
  return text;
}

std::string utf8_of(ByteSpan text) {
  std::string copy(text.size(), '\0');
  wire::copy_as_utf8(as_text(text), reinterpret_cast<std::byte*>(copy.data()));
  return copy;
}

}  // namespace

Status read_status_fields(std::string_view code, ByteSpan message, ByteSpan details) {
  if (code == "0") return {};
  std::uint32_t number = 0;
  const auto [stop, error] = std::from_chars(code.data(), code.data() + code.size(), number);
  if (error != std::errc() || stop != code.data() + code.size()) {
    constexpr std::size_t shown_bytes = 32;
    return {StatusCode::unknown,
            "receive trailers: grpc-status is no number: \"" + wire::shown(code, shown_bytes) + '"',
            StatusOrigin::peer};
  }
  const StatusCode known = is_valid_status_code(number) ? static_cast<StatusCode>(number) : StatusCode::unknown;
  if (known == StatusCode::ok) return {};
  Status status(known, utf8_of(message), StatusOrigin::peer);
  if (!details.empty()) static_cast<void>(add_details_of(details, status));
  return status;
}

std::chrono::milliseconds read_pushback(std::string_view value) noexcept {
  std::int64_t pause = 0;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), pause);
  const bool is_number = error == std::errc() && stop == value.data() + value.size();
  constexpr std::int64_t longest = 24 * 3600 * 1000;
  return std::chrono::milliseconds(is_number ? std::min(pause, longest) : -1);
}

std::string_view code_text(StatusCode code) noexcept {
  const auto number = static_cast<std::size_t>(code);
  return number < code_texts.size() ? code_texts[number] : code_text(StatusCode::unknown);
}

void StatusFields::assign(const Status& status, std::size_t room) {
  code_ = code_text(status.code());
  message_.clear();
  details_.clear();
  if (status.is_ok()) return;

  room -= std::min(room, cost_of_field(status_field_name, code_.size()));
  const std::size_t message_overhead = cost_of_field(message_field_name, 0);
  const std::size_t most = std::min(room - std::min(room, message_overhead), max_message_bytes);
  append_encoded_value(prefix_for_encoding(status.message(), most), message_);
  if (status.details().empty()) return;
  const std::size_t size = rpc_status_bytes(status);
  const std::size_t details_cost = cost_of_field(details_field_name, unpadded_base64_bytes(size));
  const std::size_t message_cost = message_.size() > 0 ? message_overhead + message_.size() : 0;
  if (message_cost + details_cost > room) return tell_of_details(status, size, most);
  serialized_.clear();
  append_rpc_status(status, serialized_);
  codec::append_unpadded_base64(serialized_.bytes(), details_);
}

/// Ends the message with what has become of the details, if there is room for that and half of the message.
void StatusFields::tell_of_details(const Status& status, std::size_t bytes, std::size_t most) {
  const std::string note =
      " (details of " + std::to_string(bytes) + " bytes are left out: the peer takes no headers as long)";
  if (most < 2 * note.size()) return;
  const std::string_view start = prefix_for_encoding(status.message(), most - note.size());
  message_.clear();
  append_encoded_value(std::string(start) + note, message_);
}

}  // namespace trunkline::session::web
