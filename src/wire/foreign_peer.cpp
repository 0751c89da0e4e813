// SPDX-License-Identifier: MIT
// The first bytes with which servers of other protocols greet or refuse a client.
#include "wire/foreign_peer.h"

#include <array>
#include <cstddef>

namespace trunkline::wire {
namespace {

using namespace std::string_view_literals;

struct Start {
  std::string_view bytes;
  std::string_view name;
};

constexpr std::array starts{
    Start{"HTTP/1."sv, "HTTP/1"},    Start{"HTTP/0.9"sv, "HTTP/1"}, Start{"<!DOCTYPE"sv, "HTTP/1"},
    Start{"<html"sv, "HTTP/1"},      Start{"SSH-"sv, "SSH"},        Start{"-ERR "sv, "Redis or POP3"},
    Start{"+OK"sv, "Redis or POP3"}, Start{"+PONG"sv, "Redis"},     Start{"* OK"sv, "IMAP"},
    Start{"RFB "sv, "VNC"},          Start{"AMQP"sv, "AMQP"},       Start{"\x05\x00\x00\x03\x10"sv, "DCE/RPC"},
};

bool is_digit(char byte) noexcept { return byte >= '0' && byte <= '9'; }

/// Returns true for an alert, or a handshake record, of SSL 3.0 or later (RFC 8446, section 5.1).
bool is_tls(std::string_view bytes) noexcept {
  return bytes.size() >= 3 && (bytes[0] == '\x15' || bytes[0] == '\x16') && bytes[1] == '\x03' && bytes[2] <= '\x04';
}

/// Returns true for SETTINGS or GOAWAY on stream 0 (RFC 9113, section 4.1), with which a server begins or ends.
bool is_http2(std::string_view bytes) noexcept {
  return bytes.size() >= 9 && bytes[0] == '\0' && (bytes[3] == '\x04' || bytes[3] == '\x07') &&
         bytes.substr(5, 4) == "\0\0\0\0"sv;
}

/// Returns true for a code of three digits and a blank or dash, with which SMTP, FTP and NNTP greet.
bool is_reply_code(std::string_view bytes) noexcept {
  return bytes.size() >= 4 && is_digit(bytes[0]) && is_digit(bytes[1]) && is_digit(bytes[2]) &&
         (bytes[3] == ' ' || bytes[3] == '-');
}

/// Returns true for MySQL's greeting: a length of three bytes, sequence 0, protocol 10 and a version from a digit on.
bool is_mysql(std::string_view bytes) noexcept {
  return bytes.size() >= 6 && bytes[2] == '\0' && bytes[3] == '\0' && bytes[4] == '\x0A' && is_digit(bytes[5]);
}

}  // namespace

std::string_view guess_foreign_peer(ByteSpan first_bytes) noexcept {
  const std::string_view bytes = as_text(first_bytes);
  for (const Start& start : starts) {
    if (bytes.starts_with(start.bytes)) return start.name;
  }
  if (is_tls(bytes)) return "TLS";
  if (is_http2(bytes)) return "HTTP/2 (as gRPC does)";
  if (is_reply_code(bytes)) return "SMTP, FTP or the like";
  if (is_mysql(bytes)) return "MySQL";
  return {};
}

}  // namespace trunkline::wire
