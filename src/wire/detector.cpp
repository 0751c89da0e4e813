// SPDX-License-Identifier: MIT
// detect(): one matcher per protocol over the first bytes of a connection.
#include "wire/detector.h"

#include "wire/preface.h"

#include <algorithm>
#include <array>

namespace trunkline::wire {
namespace {

using namespace std::string_view_literals;

enum class Match : std::uint8_t { no, undecided, yes };

Match match_prefix(std::string_view bytes, std::string_view wanted) noexcept {
  const std::size_t size = std::min(bytes.size(), wanted.size());
  if (bytes.substr(0, size) != wanted.substr(0, size)) return Match::no;
  return size == wanted.size() ? Match::yes : Match::undecided;
}

Match match_native(std::string_view bytes) noexcept { return match_prefix(bytes, as_text(ByteSpan(preface))); }

/// The start of HTTP/2 (RFC 9113, section 3.4), of which the first line is enough.
constexpr std::string_view http2_start = "PRI * HTTP/2.0\r\n";

Match match_http2(std::string_view bytes) noexcept { return match_prefix(bytes, http2_start); }

/// Matches a word of capital letters and '-', a space, and the first byte of what follows, which `next` gets. An empty
/// line may stand before it, as some clients of HTTP send one behind a content (RFC 9112, section 2.2).
Match match_word(std::string_view bytes, std::string_view& word, char& next) noexcept {
  constexpr std::string_view empty_line = "\r\n";
  std::size_t most_letters = detection_bytes - 2;
  if (const Match match = match_prefix(bytes, empty_line); match != Match::no) {
    if (match == Match::undecided) return match;
    bytes.remove_prefix(empty_line.size());
    most_letters -= empty_line.size();
  }
  if (match_prefix(bytes, http2_start.substr(0, 4)) == Match::yes) return Match::no;
  const auto is_method_letter = [](char byte) { return (byte >= 'A' && byte <= 'Z') || byte == '-'; };
  const std::size_t space =
      static_cast<std::size_t>(std::find_if_not(bytes.begin(), bytes.end(), is_method_letter) - bytes.begin());
  if (space > most_letters) return Match::no;
  if (space == bytes.size()) return Match::undecided;
  if (space == 0 || bytes[space] != ' ') return Match::no;
  if (space + 1 == bytes.size()) return Match::undecided;
  word = bytes.substr(0, space);
  next = bytes[space + 1];
  return next >= ' ' && next < 0x7F ? Match::yes : Match::no;
}

/// Returns true for words that no other protocol has, so what follows is a mistake in a line of HTTP.
bool is_http_method(std::string_view word) noexcept {
  constexpr std::array<std::string_view, 7> methods{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
  return std::find(methods.begin(), methods.end(), word) != methods.end();
}

/// Returns true if a target may begin so: with a path, "*", or the scheme of a URI. That of CONNECT is a host.
bool is_target(std::string_view method, char first) noexcept {
  if (first == ' ') return is_http_method(method);
  return first == '/' || first == '*' || first == 'h' || first == 'H' || method == "CONNECT";
}

Match match_http1(std::string_view bytes) noexcept {
  std::string_view method;
  char first = 0;
  const Match match = match_word(bytes, method, first);
  return match == Match::yes && !is_target(method, first) ? Match::no : match;
}

Match match_text(std::string_view bytes) noexcept {
  std::string_view word;
  char first = 0;
  const Match match = match_word(bytes, word, first);
  return match == Match::yes && (first == ' ' || is_target(word, first)) ? Match::no : match;
}

/// Matches a handshake record of SSL 3.0 or later (RFC 8446, section 5.1).
Match match_tls(std::string_view bytes) noexcept {
  const Match start = match_prefix(bytes, "\x16\x03"sv);
  if (start != Match::yes) return start;
  if (bytes.size() < 3) return Match::undecided;
  return static_cast<unsigned char>(bytes[2]) <= 4 ? Match::yes : Match::no;
}

/// Matches a message of the strict binary or the compact protocol, or the magic of the header transport.
Match match_thrift_message(std::string_view bytes, bool framed) noexcept {
  if (bytes.empty()) return Match::undecided;
  if (framed) {
    if (const Match header = match_prefix(bytes, "\x0F\xFF"sv); header != Match::no) return header;
  }
  if (bytes[0] == '\x80') return match_prefix(bytes, "\x80\x01"sv);
  if (bytes[0] != '\x82') return Match::no;
  if (bytes.size() < 2) return Match::undecided;
  return (bytes[1] & 0x1F) == 1 ? Match::yes : Match::no;
}

/// Matches Thrift unframed, or behind the big-endian size of a frame, below 16 MiB by default in each implementation.
Match match_thrift(std::string_view bytes) noexcept {
  if (bytes.empty()) return Match::undecided;
  if (bytes[0] != 0) return match_thrift_message(bytes, false);
  return bytes.size() < 4 ? Match::undecided : match_thrift_message(bytes.substr(4), true);
}

struct Matcher {
  DetectedProtocol protocol;
  Match (*match)(std::string_view bytes) noexcept;
};

/// The matchers. No two match the same bytes, so the order does not matter.
constexpr std::array matchers{
    Matcher{DetectedProtocol::native, match_native}, Matcher{DetectedProtocol::http1, match_http1},
    Matcher{DetectedProtocol::http2, match_http2},   Matcher{DetectedProtocol::tls, match_tls},
    Matcher{DetectedProtocol::thrift, match_thrift}, Matcher{DetectedProtocol::text, match_text},
};

constexpr std::string_view http1_rejection =
    "HTTP/1.1 505 HTTP Version Not Supported\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 61\r\n"
    "Connection: close\r\n"
    "\r\n"
    "this port speaks the native protocol of Trunkline, version 1\n";

/// An empty SETTINGS frame, then GOAWAY: last stream 0, PROTOCOL_ERROR, and a text (RFC 9113, sections 6.5 and 6.8).
constexpr std::string_view http2_rejection =
    "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
    "\x00\x00\x44\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"
    "this port speaks the native protocol of Trunkline, version 1"sv;

/// A fatal alert of the kind handshake_failure (RFC 8446, section 6).
constexpr std::string_view tls_rejection = "\x15\x03\x03\x00\x02\x02\x28"sv;

/// The preface, then goaway: last call 0, code 13 (internal), and a reason (docs/wire.md, sections 1 and 9).
constexpr std::string_view native_rejection =
    "\xF5TRKL\r\n\x01"
    "\x4A\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\x0D\x00\x00\x00"
    "handshake: these are not the first bytes of the native protocol, version 1"sv;

}  // namespace

std::string_view to_string(DetectedProtocol protocol) noexcept {
  switch (protocol) {
    case DetectedProtocol::native:
      return "native";
    case DetectedProtocol::http1:
      return "http1";
    case DetectedProtocol::http2:
      return "http2";
    case DetectedProtocol::tls:
      return "tls";
    case DetectedProtocol::thrift:
      return "thrift";
    case DetectedProtocol::text:
      return "text";
    case DetectedProtocol::unknown:
      break;
  }
  return "unknown";
}

std::optional<DetectedProtocol> detect(ByteSpan first_bytes) noexcept {
  const std::string_view bytes = as_text(first_bytes.first(std::min(first_bytes.size(), detection_bytes)));
  bool undecided = false;
  for (const Matcher& matcher : matchers) {
    const Match match = matcher.match(bytes);
    if (match == Match::yes) return matcher.protocol;
    undecided = undecided || match == Match::undecided;
  }
  return undecided ? std::nullopt : std::optional(DetectedProtocol::unknown);
}

std::string_view rejection_for(DetectedProtocol protocol) noexcept {
  switch (protocol) {
    case DetectedProtocol::http1:
      return http1_rejection;
    case DetectedProtocol::http2:
      return http2_rejection;
    case DetectedProtocol::tls:
      return tls_rejection;
    case DetectedProtocol::unknown:
      return native_rejection;
    case DetectedProtocol::native:
    case DetectedProtocol::thrift:
    case DetectedProtocol::text:
      break;
  }
  return {};
}

}  // namespace trunkline::wire
