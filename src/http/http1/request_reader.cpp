// SPDX-License-Identifier: MIT
// RequestReader: reads the first line of a request, and decides which heads are complete.
#include "http/http1/request_reader.h"

#include "http/http1/alphabets.h"

#include <algorithm>

namespace trunkline::http::http1 {
namespace {

MessageError read_version(std::string_view version, std::uint8_t& minor) noexcept {
  constexpr std::string_view name = "HTTP/";
  const auto is_digit = [](char character) { return character >= '0' && character <= '9'; };
  if (version.size() != name.size() + 3 || !version.starts_with(name)) return MessageError::bad_version;
  if (!is_digit(version[5]) || version[6] != '.' || !is_digit(version[7])) return MessageError::bad_version;
  if (version[5] != '1' || version[7] > '1') return MessageError::version_not_supported;
  minor = static_cast<std::uint8_t>(version[7] - '0');
  return MessageError::none;
}

bool is_method(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, base::is_token_character);
}

}  // namespace

RequestReader::Outcome RequestReader::read(std::string_view input) {
  constexpr std::string_view empty_line = "\r\n";
  std::size_t skipped = 0;
  if (input.starts_with('\r')) {
    if (input.size() < empty_line.size()) return Outcome::needs_input;
    if (input.starts_with(empty_line)) skipped = empty_line.size();
  }
  const std::string_view text = input.substr(skipped);
  const HeadScanner::Outcome outcome = scanner_.scan(text);
  if (outcome == HeadScanner::Outcome::needs_input) return Outcome::needs_input;
  head_.clear();
  head_.method = head_.target = head_.target_host = head_.path = head_.query = {};
  error_ = scanner_.error();
  if (outcome == HeadScanner::Outcome::head) {
    const std::size_t first = scanner_.first_line_size();
    error_ = read_first_line(text.substr(0, first));
    if (error_ == MessageError::none) {
      const std::size_t fields = first + empty_line.size();
      error_ = head_.read(text.substr(fields, scanner_.size() - fields), limits_.max_fields);
    }
    if (error_ == MessageError::none) error_ = check();
    size_ = skipped + scanner_.size();
  }
  scanner_.reset();
  return error_ == MessageError::none ? Outcome::head : Outcome::refused;
}

MessageError RequestReader::read_first_line(std::string_view line) noexcept {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return MessageError::bad_request_line;
  if (!is_method(line.substr(0, first))) return MessageError::bad_method;
  head_.method = line.substr(0, first);
  head_.target = line.substr(first + 1, last - first - 1);
  if (head_.target.find(' ') != std::string_view::npos) return MessageError::bad_request_line;
  if (const MessageError error = read_version(line.substr(last + 1), head_.minor_version); error != MessageError::none)
    return error;
  return read_target();
}

/// Reads the target, which has one of the four forms of section 3.2.
MessageError RequestReader::read_target() noexcept {
  std::string_view target = head_.target;
  if (target.empty() || !consists_of(target, target_alphabet)) return MessageError::bad_target;
  if (head_.method == "CONNECT") {
    return is_host_and_port(target) ? MessageError::none : MessageError::bad_target;
  }
  if (target == "*") {
    head_.path = target;
    return head_.method == "OPTIONS" ? MessageError::none : MessageError::bad_target;
  }
  if (target[0] != '/') {
    // A client takes this server for a proxy.
    const std::size_t scheme = std::min(target.find("://"), target.size());
    if (!equals_ignoring_case(target.substr(0, scheme), "http") &&
        !equals_ignoring_case(target.substr(0, scheme), "https")) {
      return MessageError::bad_target;
    }
    target.remove_prefix(scheme + 3);
    const std::size_t path = std::min(target.find_first_of("/?"), target.size());
    if (path == 0 || !is_host_and_port(target.substr(0, path))) return MessageError::bad_target;
    head_.target_host = target.substr(0, path);
    target.remove_prefix(path);
  }
  const std::size_t question = std::min(target.find('?'), target.size());
  head_.path = question == 0 ? std::string_view("/") : target.substr(0, question);
  head_.query = target.substr(std::min(question + 1, target.size()));
  return MessageError::none;
}

/// Checks the whole head. Others may go by the host in the target alone (RFC 9112, section 3.2.2), or by Host alone.
MessageError RequestReader::check() const noexcept {
  if (head_.has_host && !head_.target_host.empty() && !are_equal_hosts(head_.target_host, head_.host)) {
    return MessageError::other_host;
  }
  if (head_.minor_version > 0) return head_.has_host ? MessageError::none : MessageError::no_host;
  return head_.is_chunked ? MessageError::chunked_in_http_1_0 : MessageError::none;
}

}  // namespace trunkline::http::http1
