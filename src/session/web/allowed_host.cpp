// SPDX-License-Identifier: MIT
// Compares hosts.
#include "session/web/allowed_host.h"

#include "base/token.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace trunkline::session::web {
namespace {

constexpr std::string_view wildcard = "*.";

bool equals(std::string_view left, std::string_view right) noexcept {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return base::ascii_lower(a) == base::ascii_lower(b); });
}

bool ends_with(std::string_view text, std::string_view end) noexcept {
  return text.size() >= end.size() && equals(text.substr(text.size() - end.size()), end);
}

bool is_address(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return ::inet_pton(family, std::string(text).c_str(), address.data()) == 1;
}

bool is_address(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) return is_address(AF_INET6, host.substr(1, host.size() - 2));
  return is_address(AF_INET, host);
}

/// Returns the host without the port, and without the dot that ends a name as the DNS writes it.
std::string_view host_of(std::string_view authority) noexcept {
  const auto colon = authority.rfind(':');
  const bool has_port = colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
  std::string_view host = has_port ? authority.substr(0, colon) : authority;
  if (host.size() > 1 && host.ends_with('.')) host.remove_suffix(1);
  return host;
}

}  // namespace

bool is_host_pattern(std::string_view text) noexcept {
  if (text.starts_with(wildcard)) text.remove_prefix(wildcard.size());
  const auto is_letter_of_name = [](char c) {
    const char lower = base::ascii_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  return !text.empty() && !text.starts_with('.') && !text.ends_with('.') &&
         std::all_of(text.begin(), text.end(), is_letter_of_name);
}

bool is_allowed_host(std::string_view authority, const std::vector<std::string>& allowed) {
  if (allowed.empty()) return true;
  const std::string_view host = host_of(authority);
  const bool is_listed = std::any_of(allowed.begin(), allowed.end(), [host](std::string_view entry) {
    if (!entry.starts_with(wildcard)) return equals(host, entry);
    const std::string_view end = entry.substr(1);
    return host.size() > end.size() && ends_with(host, end);
  });
  return is_listed || equals(host, "localhost") || is_address(host);
}

std::string text_of_refused_host(std::string_view authority) {
  constexpr std::size_t longest_shown = 128;
  if (authority.empty()) return "receive headers: the request names no host, and allowed_hosts is set";
  return "receive headers: the host " + std::string(authority.substr(0, longest_shown)) +
         " is neither one of allowed_hosts nor localhost nor an IP address";
}

}  // namespace trunkline::session::web
