// SPDX-License-Identifier: MIT
// Target: takes the URI of a channel apart.
#include <trunkline/target.h>

#include <algorithm>
#include <array>
#include <utility>

namespace trunkline {

namespace {

constexpr std::size_t max_scheme_bytes = 32;
constexpr std::size_t max_quoted_bytes = 160;
/// The schemes of servers that are known by address and port.
constexpr std::array<std::string_view, 10> server_schemes{"tcp", "tls",  "grpc",  "grpcs",    "ws",
                                                          "wss", "http", "https", "grpc-web", "grpc-webs"};
/// The schemes of servers that are known by a path or a name, in which a comma means nothing by itself.
constexpr std::array<std::string_view, 10> path_schemes{"unix",          "inproc",         "grpc+unix", "grpc+inproc",
                                                        "ws+unix",       "ws+inproc",      "http+unix", "http+inproc",
                                                        "grpc-web+unix", "grpc-web+inproc"};

template <class Names>
bool is_one_of(const Names& names, std::string_view name) noexcept {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_endpoint_scheme(std::string_view scheme) noexcept {
  return is_one_of(server_schemes, scheme) || is_one_of(path_schemes, scheme);
}

bool is_scheme(std::string_view text) noexcept {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
  };
  return !text.empty() && text.size() <= max_scheme_bytes && text.front() >= 'a' && text.front() <= 'z' &&
         std::all_of(text.begin(), text.end(), is_allowed);
}

/// Returns true if `text` begins with the scheme of an endpoint and a colon.
bool begins_endpoint(std::string_view text) noexcept { return is_endpoint_scheme(text.substr(0, text.find(':'))); }

/// Returns true if `uri`, which begins with the scheme of an endpoint, is several of them.
bool is_list(std::string_view scheme, std::string_view uri) noexcept {
  if (is_one_of(server_schemes, scheme)) return uri.find(',') != std::string_view::npos;
  for (auto comma = uri.find(','); comma != std::string_view::npos; comma = uri.find(',', comma + 1)) {
    if (begins_endpoint(uri.substr(comma + 1))) return true;
  }
  return false;
}

/// Returns the place in the URI where a user may stand.
std::size_t begin_of_authority(std::string_view uri) noexcept {
  const auto colon = uri.find(':');
  if (colon == std::string_view::npos) return 0;
  return colon + (uri.substr(colon + 1).starts_with("//") ? 3 : 1);
}

/// Returns the URI for error texts: printable, of bounded length, without user and password. A password that should
/// have been percent-encoded may hold any character, so all up to the last '@' is hidden, unless there is no authority.
std::string shown(std::string_view uri) {
  std::string text(uri);
  const auto begin = begin_of_authority(text);
  const auto at = text.rfind('@');
  const bool has_authority = begin < text.size() && text[begin] != '/' && text[begin] != '@';
  if (has_authority && at != std::string::npos && at > begin) text.replace(begin, at - begin, "...");
  if (text.size() > max_quoted_bytes) text = text.substr(0, max_quoted_bytes) + "...";
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

Status refused(std::string_view uri, std::string_view problem) {
  return {StatusCode::invalid_argument, "parse target \"" + shown(uri) + "\": " + std::string(problem)};
}

}  // namespace

Result<Target> Target::parse(std::string_view uri) {
  Target target;
  target.text = shown(uri);
  const auto colon = uri.find(':');
  const std::string_view whole = uri.substr(0, colon);
  if (colon == std::string_view::npos || is_endpoint_scheme(whole)) {
    if (!is_list(whole, uri)) {
      Result<Endpoint> endpoint = Endpoint::parse(uri);
      if (!endpoint) return std::move(endpoint).status();
      target.is_endpoint = true;
      target.endpoint = *std::move(endpoint);
      return target;
    }
    target.scheme = "list";
    target.server_scheme = whole;
    const bool has_slashes = is_one_of(server_schemes, whole);
    if (has_slashes && !uri.substr(colon + 1).starts_with("//")) return refused(uri, "\"//\" is missing");
    target.path = has_slashes ? uri.substr(colon + 3) : uri;
    return target;
  }

  const auto plus = whole.find('+');
  const std::string_view servers = plus == std::string_view::npos ? "tcp" : whole.substr(0, plus);
  const std::string_view name = plus == std::string_view::npos ? whole : whole.substr(plus + 1);
  if (!is_scheme(name)) return refused(uri, "the scheme is not 1 to 32 of a-z, 0-9, '.' and '-'");
  if (!is_one_of(server_schemes, servers)) {
    return refused(
        uri, "what is before the '+' is none of tcp, tls, grpc, grpcs, ws, wss, http, https, grpc-web and grpc-webs");
  }
  std::string_view rest = uri.substr(colon + 1);
  if (!rest.starts_with("//")) return refused(uri, "\"//\" is missing after the scheme");
  rest.remove_prefix(2);
  if (rest.find('#') != std::string_view::npos) return refused(uri, "a fragment is not allowed");
  const auto question = rest.find('?');
  if (question != std::string_view::npos) target.query = rest.substr(question + 1);
  rest = rest.substr(0, question);
  const auto slash = rest.find('/');
  target.scheme = name;
  target.server_scheme = servers;
  target.authority = rest.substr(0, slash);
  if (slash != std::string_view::npos) target.path = rest.substr(slash + 1);
  return target;
}

}  // namespace trunkline
