// SPDX-License-Identifier: MIT
// DnsTarget: takes the authority, the path and the query of a dns URI apart.
#include "naming/dns/dns_target.h"

#include <asio/ip/address.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace trunkline::naming::dns {

namespace {

constexpr std::size_t max_host_bytes = 254;
constexpr std::uint16_t dns_port = 53;
constexpr double max_refresh_seconds = 86400;

Status refused(const Target& target, const std::string& problem) {
  return {StatusCode::invalid_argument, "parse target \"" + target.text + "\": " + problem};
}

struct HostAndPort {
  std::string host;
  /// The port as it is written; nullopt if there is no colon.
  std::optional<std::string_view> port;
};

/// Splits a text into host and port. An address of IPv6 stands in brackets.
std::optional<HostAndPort> split(std::string_view text) {
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view rest = text.substr(end + 1);
    if (!rest.empty() && rest.front() != ':') return std::nullopt;
    HostAndPort parts{.host = std::string(text.substr(1, end - 1)), .port = std::nullopt};
    if (!rest.empty()) parts.port = rest.substr(1);
    return parts;
  }
  const auto colon = text.find(':');
  HostAndPort parts{.host = std::string(text.substr(0, colon)), .port = std::nullopt};
  if (colon != std::string_view::npos) parts.port = text.substr(colon + 1);
  return parts;
}

std::optional<std::uint16_t> port_of(std::string_view text) noexcept {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

bool is_address(const std::string& host) noexcept {
  asio::error_code error;
  asio::ip::make_address(host, error);
  return !error;
}

bool is_name(std::string_view host) noexcept {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_';
  };
  return !host.empty() && host.size() <= max_host_bytes && std::all_of(host.begin(), host.end(), is_allowed);
}

Status read_name_server(const Target& target, DnsTarget& parsed) {
  if (target.authority.empty()) return {};
  const auto parts = split(target.authority);
  if (!parts || !is_address(parts->host)) return refused(target, "the name server is not an address");
  const auto port = parts->port ? port_of(*parts->port) : dns_port;
  if (!port) return refused(target, "the port of the name server is not 1 to 65535");
  const bool is_v6 = parts->host.find(':') != std::string::npos;
  parsed.name_server = (is_v6 ? "[" + parts->host + "]" : parts->host) + ":" + std::to_string(*port);
  return {};
}

Status read_host(const Target& target, DnsTarget& parsed) {
  const auto parts = split(target.path);
  if (!parts || (!is_name(parts->host) && !is_address(parts->host))) {
    return refused(target, "what follows the third '/' is not a name or address, such as orders.example.com:4000");
  }
  parsed.host = parts->host;
  if (!parts->port) {
    if (parsed.is_numeric()) return refused(target, "an address needs a port");
    parsed.uses_srv = true;
    return {};
  }
  const auto port = port_of(*parts->port);
  if (!port) return refused(target, "the port is not 1 to 65535");
  parsed.port = *port;
  return {};
}

Status read_parameter(const Target& target, std::string_view parameter, DnsTarget& parsed) {
  const auto equals = parameter.find('=');
  const std::string_view name = parameter.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : parameter.substr(equals + 1);
  if (name == "srv") {
    if (value != "1" && value != "0") return refused(target, "srv is not 0 or 1");
    if (value == "0" && parsed.port == 0) return refused(target, "without SRV records a port is needed");
    parsed.uses_srv = value == "1" && !parsed.is_numeric();
    return {};
  }
  if (name == "service_config") {
    if (value != "1" && value != "0") return refused(target, "service_config is not 0 or 1");
    parsed.uses_service_config = value == "1" && !parsed.is_numeric();
    return {};
  }
  if (name == "min_refresh") {
    double seconds = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (error != std::errc() || end != value.data() + value.size() || !(seconds >= 0.001) ||
        !(seconds <= max_refresh_seconds)) {
      return refused(target, "min_refresh is not 0.001 to 86400 seconds");
    }
    parsed.min_refresh = std::chrono::milliseconds(std::llround(seconds * 1000));
    return {};
  }
  return refused(target, "unknown parameter '" + std::string(name) + "', use srv, min_refresh, service_config");
}

}  // namespace

Result<DnsTarget> DnsTarget::parse(const Target& target) {
  DnsTarget parsed;
  if (Status status = read_name_server(target, parsed); !status.is_ok()) return status;
  if (Status status = read_host(target, parsed); !status.is_ok()) return status;
  std::string_view rest = target.query;
  while (!rest.empty()) {
    const auto end = rest.find('&');
    if (Status status = read_parameter(target, rest.substr(0, end), parsed); !status.is_ok()) return status;
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return parsed;
}

bool DnsTarget::is_numeric() const noexcept { return is_address(host); }

std::string_view DnsTarget::domain() const noexcept {
  std::string_view name = host;
  while (name.starts_with('_')) {
    const auto end = name.find('.');
    if (end == std::string_view::npos || end + 1 == name.size()) break;
    name.remove_prefix(end + 1);
  }
  return name;
}

std::string DnsTarget::host_name(std::uint16_t server_port) const {
  if (is_numeric()) return {};
  std::string_view name = domain();
  if (name.ends_with('.')) name.remove_suffix(1);
  return std::string(name) + ":" + std::to_string(server_port);
}

}  // namespace trunkline::naming::dns
