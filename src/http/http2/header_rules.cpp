// SPDX-License-Identifier: MIT
// HeaderRules: the grammar of names and values, and the fields that a message must have.
#include "http/http2/header_rules.h"
#include "base/token.h"

#include <algorithm>

namespace trunkline::http::http2 {
namespace {

constexpr bool is_digit(char character) noexcept { return character >= '0' && character <= '9'; }
constexpr bool is_letter(char character) noexcept {
  return base::ascii_lower(character) >= 'a' && base::ascii_lower(character) <= 'z';
}

template <class Allowed>
constexpr std::array<bool, 256> alphabet(Allowed is_allowed) noexcept {
  std::array<bool, 256> allowed{};
  for (unsigned byte = 0; byte < allowed.size(); ++byte) allowed[byte] = is_allowed(byte);
  return allowed;
}

constexpr auto name_alphabet = alphabet([](unsigned byte) {
  const auto character = static_cast<char>(byte);
  return base::is_token_character(character) && base::ascii_lower(character) == character;
});
// The alphabet is that of RFC 9110, section 5.5, with the bytes that it calls obs-text.
constexpr auto value_alphabet = alphabet([](unsigned byte) { return byte == '\t' || (byte >= 0x20 && byte != 0x7F); });
constexpr auto path_alphabet = alphabet([](unsigned byte) { return byte > 0x20 && byte != 0x7F; });
constexpr auto authority_alphabet =
    alphabet([](unsigned byte) { return byte > 0x20 && byte < 0x7F && byte != '@' && byte != '/'; });
constexpr auto scheme_alphabet = alphabet([](unsigned byte) {
  const auto character = static_cast<char>(byte);
  return byte < 0x80 && (is_letter(character) || is_digit(character) || byte == '+' || byte == '-' || byte == '.');
});

bool consists_of(std::string_view text, const std::array<bool, 256>& allowed) noexcept {
  return std::ranges::all_of(text, [&](char character) { return allowed[static_cast<unsigned char>(character)]; });
}

bool is_number(std::string_view value) noexcept { return !value.empty() && std::ranges::all_of(value, is_digit); }

bool is_status(std::string_view value) noexcept {
  return value.size() == 3 && is_number(value) && value[0] != '0' && value != "101";
}

bool is_path(std::string_view value) noexcept {
  if (value.empty() || (value[0] != '/' && value != "*")) return false;
  return consists_of(value, path_alphabet);
}

FieldKind classify_pseudo(std::string_view name, std::string_view value) noexcept {
  if (name == ":path") return is_path(value) ? FieldKind::path : FieldKind::malformed;
  if (name == ":method") {
    if (value == "CONNECT") return FieldKind::connect_method;
    const bool is_token = !value.empty() && std::ranges::all_of(value, base::is_token_character);
    return is_token ? FieldKind::method : FieldKind::malformed;
  }
  if (name == ":scheme") {
    const bool is_scheme = !value.empty() && is_letter(value[0]) && consists_of(value, scheme_alphabet);
    return is_scheme ? FieldKind::scheme : FieldKind::malformed;
  }
  if (name == ":authority") {
    const bool is_authority = !value.empty() && consists_of(value, authority_alphabet);
    return is_authority ? FieldKind::authority : FieldKind::malformed;
  }
  if (name == ":status") return is_status(value) ? FieldKind::status : FieldKind::malformed;
  return FieldKind::malformed;
}

/// Returns false for names that concern a connection of HTTP/1.1, and for wrong values that this layer checks.
bool is_allowed(std::string_view name, std::string_view value) noexcept {
  switch (name.size()) {
    case 2:
      return name != "te" || value == "trailers";
    case 7:
      return name != "upgrade";
    case 10:
      return name != "connection" && name != "keep-alive";
    case 14:
      return name != "content-length" || is_number(value);
    case 16:
      return name != "proxy-connection";
    case 17:
      return name != "transfer-encoding";
    default:
      return true;
  }
}

}  // namespace

FieldKind classify_field(std::string_view name, std::string_view value) noexcept {
  if (name.empty()) return FieldKind::malformed;
  if (name[0] == ':') return classify_pseudo(name, value);
  const bool is_regular = consists_of(name, name_alphabet) && consists_of(value, value_alphabet) &&
                          is_allowed(name, base::trim_blanks(value));
  return is_regular ? FieldKind::regular : FieldKind::malformed;
}

bool HeaderRules::is_complete() const noexcept {
  constexpr std::uint32_t target = bit_of(FieldKind::scheme) | bit_of(FieldKind::path);
  switch (section_) {
    case Section::request:
      if ((seen_ & bit_of(FieldKind::connect_method)) != 0) {
        return (seen_ & bit_of(FieldKind::authority)) != 0 && (seen_ & target) == 0;
      }
      return (seen_ & bit_of(FieldKind::method)) != 0 && (seen_ & target) == target;
    case Section::response:
      return (seen_ & bit_of(FieldKind::status)) != 0;
    case Section::trailers:
      break;
  }
  return true;
}

std::uint32_t HeaderRules::allowed_at_first(Section section) noexcept {
  constexpr std::uint32_t regular = bit_of(FieldKind::regular);
  switch (section) {
    case Section::request:
      return regular | bit_of(FieldKind::method) | bit_of(FieldKind::connect_method) | bit_of(FieldKind::scheme) |
             bit_of(FieldKind::authority) | bit_of(FieldKind::path);
    case Section::response:
      return regular | bit_of(FieldKind::status);
    case Section::trailers:
      break;
  }
  return regular;
}

}  // namespace trunkline::http::http2
