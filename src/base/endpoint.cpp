// SPDX-License-Identifier: MIT
// Endpoint: parses endpoint URIs strictly and writes them in their canonical form.
#include <trunkline/endpoint.h>

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace trunkline {
namespace {

/// The longest path: sockaddr_un holds 108 bytes, one of which is the final or the leading zero.
constexpr std::size_t max_path_bytes = 107;
/// The longest host, without the final dot: RFC 1035 section 2.3.4.
constexpr std::size_t max_host_bytes = 253;
constexpr std::size_t max_label_bytes = 63;
constexpr std::size_t max_quoted_bytes = 160;

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_letter_or_digit(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_printable(char c) noexcept { return c >= ' ' && c <= '~'; }

/// Returns true if a path or name follows the scheme, in which '@' means nothing.
bool is_path_uri(std::string_view uri) noexcept {
  for (const std::string_view protocol : {"grpc+", "ws+", "http+", "grpc-web+"}) {
    if (uri.starts_with(protocol)) uri.remove_prefix(protocol.size());
  }
  return uri.starts_with("unix:") || uri.starts_with("inproc:");
}

/// Returns the URI as an error text may show it: printable, of bounded length, and without user name and password.
std::string quoted(std::string_view uri) {
  std::string shown(uri);
  const auto at = uri.rfind('@');
  if (at != std::string_view::npos && !is_path_uri(uri)) {
    // This is the start of the text if it has no colon.
    const auto authority = uri.find_first_not_of('/', uri.find(':') + 1);
    if (authority < at) shown.replace(authority, at - authority, "...");
  }
  if (shown.size() > max_quoted_bytes) shown = shown.substr(0, max_quoted_bytes) + "...";
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return !is_printable(c); }, '?');
  return '"' + shown + '"';
}

/// A text that says what is wrong with a part of the URI; empty if nothing is.
using Problem = std::string;

Problem check_length(std::string_view what, std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return {};
  return std::string(what) + " of " + std::to_string(text.size()) + " bytes exceeds " + std::to_string(limit);
}

Problem check_path(std::string_view what, std::string_view text) {
  if (text.empty()) return std::string(what) + " is missing";
  if (text.find('\0') != std::string_view::npos) return std::string(what) + " contains a zero byte";
  return check_length(what, text, max_path_bytes);
}

bool is_address(int family, std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return inet_pton(family, std::string(text).c_str(), address.data()) == 1;
}

Problem check_label(std::string_view label) {
  if (label.empty()) return "host has an empty label";
  if (label.front() == '-' || label.back() == '-') return "host has a label that begins or ends with '-'";
  return check_length("label of the host", label, max_label_bytes);
}

Problem check_host_name(std::string_view host) {
  const auto allowed = [](char c) { return is_letter_or_digit(c) || c == '-' || c == '.' || c == '_'; };
  if (host.find(':') != std::string_view::npos) return "an ipv6 address needs brackets";
  if (!std::all_of(host.begin(), host.end(), allowed))
    return "host has a byte other than letters, digits, '-', '_' and '.'";
  const std::string_view whole = host;
  // An absolute name ends with the dot of the root.
  if (host.back() == '.') host.remove_suffix(1);
  if (Problem problem = check_length("host", host, max_host_bytes); !problem.empty()) return problem;
  std::string_view label;
  for (std::size_t begin = 0; begin <= host.size(); begin += label.size() + 1) {
    label = host.substr(begin, host.find('.', begin) - begin);
    if (Problem problem = check_label(label); !problem.empty()) return problem;
  }
  // No domain name ends with a number, so this must be meant as an IPv4 address.
  if (std::all_of(label.begin(), label.end(), is_digit) && !is_address(AF_INET, whole))
    return "host is not a valid ipv4 address";
  return {};
}

Problem parse_port(std::string_view text, std::uint16_t& port) {
  if (text.empty()) return "port is missing";
  if (!std::all_of(text.begin(), text.end(), is_digit)) return "port is not a number";
  if (text.size() > 1 && text.front() == '0') return "port has a leading zero";
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size()) return "port exceeds 65535";
  return {};
}

/// Returns the port that a URI of this scheme means if it has none; 0: it must have one.
std::uint16_t usual_port(std::string_view scheme) noexcept {
  if (scheme == "http") return 80;
  if (scheme == "https") return 443;
  return 0;
}

/// Parses host:port or [address]:port; anything else is a problem. `port` is the port that a missing one means; 0: it
/// is a problem too.
Problem parse_authority(std::string_view text, std::string& host, std::uint16_t& port) {
  if (text.find('@') != std::string_view::npos) return "a user is not allowed";
  if (const auto extra = text.find_first_of("/?#"); extra != std::string_view::npos) {
    return text[extra] == '/'   ? "a path is not allowed"
           : text[extra] == '?' ? "a query is not allowed"
                                : "a fragment is not allowed";
  }
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return "']' is missing";
    host = text.substr(1, close - 1);
    if (host.find('\0') != std::string::npos || !is_address(AF_INET6, host)) return "host is not a valid ipv6 address";
    text.remove_prefix(close + 1);
    if (!text.empty() && text.front() != ':') return "']' is followed by something other than a port";
  } else {
    const auto colon = text.rfind(':');
    host = text.substr(0, colon);
    if (host.empty() && colon == std::string_view::npos) return "host is missing";
    if (host.empty()) host = Endpoint::every_address;
    if (host != Endpoint::every_address) {
      if (Problem problem = check_host_name(host); !problem.empty()) return problem;
    }
    text.remove_prefix(std::min(colon, text.size()));
  }
  if (text.empty() && port != 0) return {};
  return parse_port(text.substr(text.empty() ? 0 : 1), port);
}

std::pair<std::string_view, std::string_view> split_scheme(std::string_view uri) {
  const auto colon = uri.find(':');
  if (colon == std::string_view::npos) return {};
  return {uri.substr(0, colon), uri.substr(colon + 1)};
}

struct SchemeName {
  std::string_view name;
  Scheme scheme;
  WireProtocol protocol;
};

constexpr std::array<SchemeName, 20> scheme_names{{
    {"tcp", Scheme::tcp, WireProtocol::native},
    {"tls", Scheme::tls, WireProtocol::native},
    {"unix", Scheme::unix_socket, WireProtocol::native},
    {"inproc", Scheme::inproc, WireProtocol::native},
    {"grpc", Scheme::tcp, WireProtocol::grpc},
    {"grpcs", Scheme::tls, WireProtocol::grpc},
    {"grpc+unix", Scheme::unix_socket, WireProtocol::grpc},
    {"grpc+inproc", Scheme::inproc, WireProtocol::grpc},
    {"ws", Scheme::tcp, WireProtocol::websocket},
    {"wss", Scheme::tls, WireProtocol::websocket},
    {"ws+unix", Scheme::unix_socket, WireProtocol::websocket},
    {"ws+inproc", Scheme::inproc, WireProtocol::websocket},
    {"http", Scheme::tcp, WireProtocol::connect},
    {"https", Scheme::tls, WireProtocol::connect},
    {"http+unix", Scheme::unix_socket, WireProtocol::connect},
    {"http+inproc", Scheme::inproc, WireProtocol::connect},
    {"grpc-web", Scheme::tcp, WireProtocol::grpc_web},
    {"grpc-webs", Scheme::tls, WireProtocol::grpc_web},
    {"grpc-web+unix", Scheme::unix_socket, WireProtocol::grpc_web},
    {"grpc-web+inproc", Scheme::inproc, WireProtocol::grpc_web},
}};

const SchemeName* find_scheme(std::string_view name) noexcept {
  const auto found =
      std::find_if(scheme_names.begin(), scheme_names.end(), [&](const auto& known) { return known.name == name; });
  return found == scheme_names.end() ? nullptr : found;
}

Problem check_scheme(std::string_view uri, const SchemeName* known, std::string_view rest) {
  constexpr std::string_view hint =
      "use tcp://, tls://, unix:// or inproc://, or grpc://, grpcs:// or grpc+unix://, or ws://, wss:// or ws+unix://, "
      "or http://, https:// or http+unix://, or grpc-web://, grpc-webs:// or grpc-web+unix://";
  if (uri.empty()) return "it is empty";
  if (uri.find(':') == std::string_view::npos) return "scheme is missing, " + std::string(hint);
  if (known == nullptr) return "unknown scheme, " + std::string(hint);
  const bool is_abstract = known->scheme == Scheme::unix_socket && rest.starts_with('@');
  if (!is_abstract && !rest.starts_with("//")) return "\"//\" is missing after the scheme";
  return {};
}

}  // namespace

std::string_view to_string(Scheme scheme) noexcept {
  switch (scheme) {
    case Scheme::tcp:
      return "tcp";
    case Scheme::tls:
      return "tls";
    case Scheme::unix_socket:
      return "unix";
    case Scheme::inproc:
      return "inproc";
  }
  return "unknown";
}

Result<Endpoint> Endpoint::parse(std::string_view uri) {
  Endpoint endpoint;
  auto [name, rest] = split_scheme(uri);
  const SchemeName* const known = find_scheme(name);
  Problem problem = check_scheme(uri, known, rest);
  if (problem.empty()) {
    endpoint.scheme_ = known->scheme;
    endpoint.protocol_ = known->protocol;
    switch (known->scheme) {
      case Scheme::unix_socket:
        endpoint.abstract_ = rest.starts_with('@');
        endpoint.path_ = rest.substr(endpoint.abstract_ ? 1 : 2);
        problem = check_path(endpoint.abstract_ ? "name" : "path", endpoint.path_);
        if (problem.empty() && !endpoint.abstract_ && endpoint.path_.front() != '/') problem = "path is not absolute";
        break;
      case Scheme::inproc:
        endpoint.path_ = rest.substr(2);
        problem = check_path("name", endpoint.path_);
        break;
      case Scheme::tcp:
      case Scheme::tls:
        endpoint.port_ = usual_port(name);
        // Browsers write the root with a slash at the end.
        if (endpoint.port_ != 0 && rest.ends_with('/')) rest.remove_suffix(1);
        problem = parse_authority(rest.substr(std::min<std::size_t>(2, rest.size())), endpoint.host_, endpoint.port_);
        break;
    }
  }
  if (!problem.empty()) return Status(StatusCode::invalid_argument, "parse endpoint " + quoted(uri) + ": " + problem);
  return endpoint;
}

Endpoint Endpoint::with_port(std::uint16_t port) const {
  Endpoint changed = *this;
  if (scheme_ == Scheme::tcp || scheme_ == Scheme::tls) changed.port_ = port;
  return changed;
}

Endpoint Endpoint::with_protocol(WireProtocol protocol) const {
  Endpoint changed = *this;
  changed.protocol_ = protocol;
  return changed;
}

std::string Endpoint::to_string() const {
  const auto named = std::find_if(scheme_names.begin(), scheme_names.end(), [&](const SchemeName& known) {
    return known.scheme == scheme_ && known.protocol == protocol_;
  });
  std::string text(named->name);
  if (abstract_) return text + ":@" + path_;
  text += "://";
  if (scheme_ == Scheme::unix_socket || scheme_ == Scheme::inproc) return text + path_;
  const bool needs_brackets = host_.find(':') != std::string::npos;
  text += needs_brackets ? '[' + host_ + ']' : host_;
  return text + ':' + std::to_string(port_);
}

}  // namespace trunkline
