// SPDX-License-Identifier: MIT
// ConsoleGate: compares token, peer, Host and Origin.
#include "service/console_gate.h"

#include "service/console_page.h"

#include <asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <utility>

namespace trunkline::service {

namespace {

constexpr std::string_view token_name = "trunkline-console-token";
constexpr std::size_t min_token_length = 16;
/// Proxies add these headers to the requests of clients on any machine, and are near themselves.
constexpr std::array<std::string_view, 5> proxy_headers{"forwarded", "via", "x-forwarded-for", "x-forwarded-host",
                                                        "x-real-ip"};
/// The length of a client's text that is shown.
constexpr std::size_t max_shown = 200;

std::string checked_token(const std::string& token) {
  if (token.empty() || token.size() >= min_token_length) return token;
  throw std::invalid_argument("add console: token has " + std::to_string(token.size()) + " characters, at least " +
                              std::to_string(min_token_length) + " are needed");
}

/// Returns 128 bits in hexadecimal digits.
std::string random_token() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::random_device source;
  std::string token;
  while (token.size() < 32) {
    const unsigned drawn = source();
    for (unsigned shift = 0; shift < 32; shift += 4) token += digits[(drawn >> shift) & 15];
  }
  return token;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char each) { return std::tolower(each); });
  return result;
}

/// Compares two texts in a time that does not depend on where they differ.
bool are_equal(std::string_view left, std::string_view right) noexcept {
  if (left.size() != right.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(left[i]) ^ static_cast<unsigned char>(right[i]));
  }
  return difference == 0;
}

/// Returns the host of "host:port"; an IPv6 address is without its brackets.
std::string_view host_of(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(1, authority.find(']') - 1);
  return authority.substr(0, authority.find(':'));
}

/// Returns true for a peer on the same machine: on the loopback network, or on no network at all.
bool is_near(std::string_view peer) {
  const std::size_t scheme = peer.find("://");
  if (scheme == std::string_view::npos) return false;
  if (const std::string_view name = peer.substr(0, scheme); name != "tcp" && name != "tls") return true;
  asio::error_code error;
  const auto address = asio::ip::make_address(std::string(host_of(peer.substr(scheme + 3))), error);
  return !error && address.is_loopback();
}

void add_headers(Metadata& headers) {
  headers.add("cache-control", "no-store");
  headers.add("content-security-policy",
              "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "
              "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  headers.add("cross-origin-opener-policy", "same-origin");
  headers.add("cross-origin-resource-policy", "same-origin");
  headers.add("referrer-policy", "no-referrer");
  headers.add("x-content-type-options", "nosniff");
  headers.add("x-frame-options", "DENY");
}

HttpResponse refused(const std::string& why) {
  HttpResponse response = HttpResponse::text("console: " + why + "\n", 403);
  add_headers(response.headers);
  return response;
}

std::string shown(std::string_view text) { return "'" + std::string(text.substr(0, max_shown)) + "'"; }

}  // namespace

ConsoleGate::ConsoleGate(const ConsoleOptions& options)
    : is_local_(options.token.empty()), token_(is_local_ ? random_token() : checked_token(options.token)) {
  for (const std::string& host : options.hosts) hosts_.push_back(lower(host));
}

Status ConsoleGate::check(const Metadata& metadata) const {
  if (are_equal(metadata.get(token_name).value_or(""), token_)) return Status::ok();
  return {StatusCode::unauthenticated, "console: the token is missing or wrong"};
}

HttpResponse ConsoleGate::page(const HttpRequest& request, std::string_view peer) const {
  const std::string host = lower(request.header("host"));
  if (!knows(host_of(host)))
    return refused("host " + shown(host) + " is neither localhost nor an IP address nor one of hosts");
  const std::string origin = lower(request.header("origin"));
  const std::size_t scheme = origin.find("://");
  if (!origin.empty() && (scheme == std::string::npos || origin.substr(scheme + 3) != host))
    return refused("origin " + shown(origin) + " is not that of the server");
  if (is_local_ && !is_near(peer)) return refused("it has no token, so it is served on the loopback network only");
  const auto passed_on = std::ranges::find_if(
      proxy_headers, [&](std::string_view name) { return request.headers().get(name).has_value(); });
  if (is_local_ && passed_on != proxy_headers.end())
    return refused("it has no token, so it is not served through a proxy, which has sent " + std::string(*passed_on));
  std::string page(console_page());
  if (const std::size_t place = page.find(place_of_console_token); is_local_ && place != std::string::npos)
    page.replace(place, place_of_console_token.size(), token_);
  HttpResponse response = HttpResponse::html(std::move(page));
  add_headers(response.headers);
  return response;
}

bool ConsoleGate::knows(std::string_view host) const {
  if (host == "localhost" || std::ranges::find(hosts_, host) != hosts_.end()) return true;
  asio::error_code error;
  const auto address = asio::ip::make_address(std::string(host), error);
  return !error && (address.is_loopback() || !is_local_);
}

}  // namespace trunkline::service
