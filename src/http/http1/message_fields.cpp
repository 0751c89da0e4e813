// SPDX-License-Identifier: MIT
// MessageFields: the grammar of fields, and the fields that say how a message is sent.
#include "http/http1/message_fields.h"

#include "http/http1/alphabets.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace trunkline::http::http1 {
namespace {

/// Takes one line with its end off the front of `lines`.
std::string_view take_line(std::string_view& lines) noexcept {
  const void* const feed = std::memchr(lines.data(), '\n', lines.size());
  const auto size = static_cast<std::size_t>(static_cast<const char*>(feed) - lines.data());
  const std::string_view line = lines.substr(0, size - 1);
  lines.remove_prefix(size + 1);
  return line;
}

MessageError read_field(std::string_view line, Field& out) noexcept {
  if (is_blank(line.front())) return MessageError::folded_field;
  std::size_t colon = 0;
  while (colon < line.size() && base::is_token_character(line[colon])) ++colon;
  if (colon == line.size()) return MessageError::field_without_colon;
  if (line[colon] != ':') {
    const std::string_view rest = base::trim_blanks(line.substr(colon));
    const bool is_spaced = is_blank(line[colon]) && !rest.empty() && rest.front() == ':';
    return is_spaced ? MessageError::space_before_colon : MessageError::bad_field_name;
  }
  if (colon == 0) return MessageError::bad_field_name;
  out = {line.substr(0, colon), base::trim_blanks(line.substr(colon + 1))};
  return is_value_text(out.value) ? MessageError::none : MessageError::bad_field_value;
}

/// The names that this layer looks at.
enum class Meaning : std::uint8_t {
  other,
  host,
  expect,
  upgrade,
  connection,
  content_type,
  content_length,
  transfer_encoding,
};

Meaning meaning_of(std::string_view name) noexcept {
  const auto is = [name](std::string_view lower_case) { return equals_ignoring_case(name, lower_case); };
  switch (name.size()) {
    case 4:
      return is("host") ? Meaning::host : Meaning::other;
    case 6:
      return is("expect") ? Meaning::expect : Meaning::other;
    case 7:
      return is("upgrade") ? Meaning::upgrade : Meaning::other;
    case 10:
      return is("connection") ? Meaning::connection : Meaning::other;
    case 12:
      return is("content-type") ? Meaning::content_type : Meaning::other;
    case 14:
      return is("content-length") ? Meaning::content_length : Meaning::other;
    case 17:
      return is("transfer-encoding") ? Meaning::transfer_encoding : Meaning::other;
    default:
      return Meaning::other;
  }
}

}  // namespace

const std::string_view* MessageFields::find(std::string_view lower_case) const noexcept {
  for (const Field& field : fields) {
    if (equals_ignoring_case(field.name, lower_case)) return &field.value;
  }
  return nullptr;
}

void MessageFields::clear() noexcept {
  fields.clear();
  host = content_type = upgrade = {};
  content_length.reset();
  is_chunked = expects_continue = has_host = has_close = has_keep_alive = false;
  has_transfer_encoding_ = has_upgrade_option_ = false;
}

MessageError MessageFields::read(std::string_view lines, std::size_t max_fields) {
  while (!lines.empty()) {
    const std::string_view line = take_line(lines);
    if (line.empty()) break;
    if (fields.size() == max_fields) return MessageError::too_many_fields;
    Field field;
    if (const MessageError error = read_field(line, field); error != MessageError::none) return error;
    if (const MessageError error = take(field); error != MessageError::none) return error;
    fields.push_back(field);
  }
  if (has_transfer_encoding_ && content_length) return MessageError::length_and_chunked;
  if (!has_upgrade_option_) upgrade = {};
  return MessageError::none;
}

MessageError MessageFields::read_trailers(std::string_view lines, std::size_t max_fields) {
  while (!lines.empty()) {
    const std::string_view line = take_line(lines);
    if (line.empty()) break;
    if (fields.size() == max_fields) return MessageError::too_many_fields;
    Field field;
    if (const MessageError error = read_field(line, field); error != MessageError::none) return error;
    const Meaning meaning = meaning_of(field.name);
    if (meaning != Meaning::other && meaning != Meaning::content_type) return MessageError::framing_field_in_trailers;
    fields.push_back(field);
  }
  return MessageError::none;
}

MessageError MessageFields::take(const Field& field) noexcept {
  switch (meaning_of(field.name)) {
    case Meaning::other:
      return MessageError::none;
    case Meaning::host:
      return take_host(field.value);
    case Meaning::expect:
      if (!equals_ignoring_case(field.value, "100-continue")) return MessageError::unknown_expectation;
      expects_continue = true;
      return MessageError::none;
    case Meaning::upgrade:
      upgrade = field.value;
      return MessageError::none;
    case Meaning::connection:
      return take_connection(field.value);
    case Meaning::content_type:
      if (content_type.empty()) content_type = field.value;
      return MessageError::none;
    case Meaning::content_length:
      return take_content_length(field.value);
    case Meaning::transfer_encoding:
      return take_transfer_encoding(field.value);
  }
  return MessageError::none;
}

MessageError MessageFields::take_host(std::string_view value) noexcept {
  if (has_host) return MessageError::two_hosts;
  has_host = true;
  host = value;
  return is_host_and_port(value) ? MessageError::none : MessageError::bad_host;
}

/// Takes a length. Lists of equal lengths, which RFC 9110 (section 8.6) lets a recipient take, are errors here.
MessageError MessageFields::take_content_length(std::string_view value) noexcept {
  if (content_length) return MessageError::two_content_lengths;
  if (value.empty()) return MessageError::bad_content_length;
  constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t length = 0;
  for (const char character : value) {
    if (character < '0' || character > '9') return MessageError::bad_content_length;
    const auto digit = static_cast<std::uint64_t>(character - '0');
    if (length > (limit - digit) / 10) return MessageError::bad_content_length;
    length = length * 10 + digit;
  }
  content_length = length;
  return MessageError::none;
}

MessageError MessageFields::take_transfer_encoding(std::string_view value) noexcept {
  if (has_transfer_encoding_) return MessageError::two_transfer_encodings;
  has_transfer_encoding_ = true;
  if (!equals_ignoring_case(value, "chunked")) return MessageError::transfer_encoding_not_known;
  is_chunked = true;
  return MessageError::none;
}

MessageError MessageFields::take_connection(std::string_view value) noexcept {
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view option = base::trim_blanks(value.substr(0, comma));
    value.remove_prefix(std::min(comma + 1, value.size()));
    has_close = has_close || equals_ignoring_case(option, "close");
    has_keep_alive = has_keep_alive || equals_ignoring_case(option, "keep-alive");
    has_upgrade_option_ = has_upgrade_option_ || equals_ignoring_case(option, "upgrade");
  }
  return MessageError::none;
}

bool is_connection_field(std::string_view name) noexcept {
  switch (meaning_of(name)) {
    case Meaning::other:
      return equals_ignoring_case(name, "keep-alive") || equals_ignoring_case(name, "proxy-connection") ||
             equals_ignoring_case(name, "te") || equals_ignoring_case(name, "trailer");
    case Meaning::content_type:
      return false;
    default:
      return true;
  }
}

}  // namespace trunkline::http::http1
