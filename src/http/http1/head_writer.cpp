// SPDX-License-Identifier: MIT
// HeadWriter: writes the lines of heads.
#include "http/http1/head_writer.h"

#include "base/token.h"
#include "http/http1/alphabets.h"

#include <algorithm>
#include <charconv>

namespace trunkline::http::http1 {
namespace {

constexpr std::string_view line_end = "\r\n";

bool is_token(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, base::is_token_character);
}

}  // namespace

bool is_sendable_field(std::string_view name, std::string_view value) noexcept {
  if (!is_token(name) || !is_value_text(value)) return false;
  return value.empty() || (!is_blank(value.front()) && !is_blank(value.back()));
}

std::string_view reason_of(std::uint16_t status) noexcept {
  switch (status) {
    case 100:
      return "Continue";
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 205:
      return "Reset Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 426:
      return "Upgrade Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 499:
      return "Client Closed Request";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return {};
  }
}

bool HeadWriter::request_line(std::string_view method, std::string_view target) {
  if (!is_token(method) || target.empty() || !consists_of(target, target_alphabet)) return false;
  out_.append(method);
  out_.append(" ");
  out_.append(target);
  out_.append(" HTTP/1.1\r\n");
  return true;
}

void HeadWriter::status_line(std::uint16_t status) {
  char digits[3] = {static_cast<char>('0' + status / 100), static_cast<char>('0' + status / 10 % 10),
                    static_cast<char>('0' + status % 10)};
  out_.append("HTTP/1.1 ");
  out_.append(std::string_view(digits, sizeof(digits)));
  // The space is written also without a reason (RFC 9112, section 4).
  out_.append(" ");
  out_.append(reason_of(status));
  out_.append(line_end);
}

bool HeadWriter::field(std::string_view name, std::string_view value) {
  if (!is_sendable_field(name, value)) return false;
  known_field(name, value);
  return true;
}

void HeadWriter::known_field(std::string_view name, std::string_view value) {
  out_.append(name);
  out_.append(": ");
  out_.append(value);
  out_.append(line_end);
}

void HeadWriter::number_field(std::string_view name, std::uint64_t value) {
  char digits[20];
  const char* const end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  known_field(name, std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

void HeadWriter::end() { out_.append(line_end); }

}  // namespace trunkline::http::http1
