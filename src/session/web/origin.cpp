// SPDX-License-Identifier: MIT
// Takes origins apart and compares them.
#include "session/web/origin.h"

#include "base/token.h"

#include <algorithm>

namespace trunkline::session::web {

namespace {

bool equals(std::string_view left, std::string_view right) noexcept {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return base::ascii_lower(a) == base::ascii_lower(b); });
}

struct Authority {
  std::string_view host;
  std::string_view port;
};

Authority split_port(std::string_view authority) noexcept {
  const auto colon = authority.rfind(':');
  // The colons of an IPv6 address stand in brackets.
  const bool has_port = colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
  if (!has_port) return {authority, {}};
  return {authority.substr(0, colon), authority.substr(colon + 1)};
}

struct Origin {
  std::string_view scheme;
  Authority authority;
};

constexpr std::string_view separator = "://";

/// Splits an origin. The scheme is empty for what is none, such as "null", which browsers send for pages without one.
Origin split(std::string_view text) noexcept {
  const auto end = text.find(separator);
  if (end == std::string_view::npos) return {};
  return {text.substr(0, end), split_port(text.substr(end + separator.size()))};
}

std::string_view usual_port(std::string_view scheme) noexcept {
  if (equals(scheme, "http") || equals(scheme, "ws")) return "80";
  return equals(scheme, "https") || equals(scheme, "wss") ? "443" : "";
}

bool equals(const Authority& left, const Authority& right, std::string_view usual) noexcept {
  const auto port_of = [usual](const Authority& authority) { return authority.port.empty() ? usual : authority.port; };
  return equals(left.host, right.host) && port_of(left) == port_of(right);
}

}  // namespace

bool is_origin_pattern(std::string_view text) noexcept {
  if (text == any_origin) return true;
  const auto [scheme, authority] = split(text);
  const auto is_plain = [](char c) { return c > ' ' && c < 0x7F && c != '/' && c != '@' && c != '?' && c != '#'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !scheme.empty() && !authority.host.empty() && std::all_of(scheme.begin(), scheme.end(), is_plain) &&
         std::all_of(authority.host.begin(), authority.host.end(), is_plain) &&
         std::all_of(authority.port.begin(), authority.port.end(), is_digit) && !text.ends_with(':');
}

bool is_allowed_origin(std::string_view origin, std::string_view host, const std::vector<std::string>& allowed) {
  const Origin given = split(origin);
  const std::string_view usual = usual_port(given.scheme);
  if (allowed.empty()) return !given.authority.host.empty() && equals(given.authority, split_port(host), usual);
  return std::any_of(allowed.begin(), allowed.end(), [&](std::string_view entry) {
    if (entry == any_origin) return true;
    const Origin listed = split(entry);
    return !given.scheme.empty() && equals(given.scheme, listed.scheme) &&
           equals(given.authority, listed.authority, usual);
  });
}

}  // namespace trunkline::session::web
