// SPDX-License-Identifier: MIT
// Statuses to fields, also in little room.
#include "session/grpc/status_fields.h"

#include "codec/base64.h"
#include "session/grpc/percent_encoding.h"
#include "session/grpc/rpc_status.h"
#include "wire/text.h"

#include <algorithm>
#include <array>

namespace trunkline::session::grpc {
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

/// The longest start of the text whose encoding has at most `limit` bytes.
std::string_view prefix_for_encoding(std::string_view text, std::size_t limit) noexcept {
  std::size_t used = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    used += needs_percent_encoding(text.substr(i, 1)) ? 3 : 1;
    if (used > limit) return wire::utf8_prefix(text, i);
  }
  return text;
}

}  // namespace

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
  if (!status.message().empty() && room > message_overhead) {
    append_percent_encoded(prefix_for_encoding(status.message(), room - message_overhead), message_);
  }
  if (message_.size() > 0) room -= message_overhead + message_.size();
  if (status.details().empty()) return;
  const std::size_t size = rpc_status_bytes(status);
  if (cost_of_field(details_field_name, unpadded_base64_bytes(size)) > room) return;
  serialized_.clear();
  append_rpc_status(status, serialized_);
  codec::append_unpadded_base64(serialized_.bytes(), details_);
}

}  // namespace trunkline::session::grpc
