// SPDX-License-Identifier: MIT
// ResponseReader: reads the first line of a response.
#include "http/http1/response_reader.h"

#include "http/http1/alphabets.h"

namespace trunkline::http::http1 {

ResponseReader::Outcome ResponseReader::read(std::string_view input) {
  constexpr std::size_t line_end = 2;
  const HeadScanner::Outcome outcome = scanner_.scan(input);
  if (outcome == HeadScanner::Outcome::needs_input) return Outcome::needs_input;
  head_.clear();
  error_ = scanner_.error();
  if (outcome == HeadScanner::Outcome::head) {
    const std::size_t first = scanner_.first_line_size();
    error_ = read_first_line(input.substr(0, first));
    if (error_ == MessageError::none) {
      const std::size_t fields = first + line_end;
      error_ = head_.read(input.substr(fields, scanner_.size() - fields), limits_.max_fields);
    }
    if (error_ == MessageError::none && head_.minor_version == 0 && head_.is_chunked) {
      error_ = MessageError::chunked_in_http_1_0;
    }
    size_ = scanner_.size();
  }
  scanner_.reset();
  return error_ == MessageError::none ? Outcome::head : Outcome::refused;
}

/// Reads a line such as "HTTP/1.1 200 OK". The space behind the status must be there, the reason need not.
MessageError ResponseReader::read_first_line(std::string_view line) noexcept {
  constexpr std::size_t least = 13;  // "HTTP/1.1 200 "
  const auto is_digit = [](char character) { return character >= '0' && character <= '9'; };
  if (line.size() < least || !line.starts_with("HTTP/")) return MessageError::bad_status_line;
  if (line[5] != '1' || line[6] != '.' || line[7] < '0' || line[7] > '1') return MessageError::version_not_supported;
  if (line[8] != ' ' || line[12] != ' ' || line[9] < '1') return MessageError::bad_status_line;
  if (!is_digit(line[9]) || !is_digit(line[10]) || !is_digit(line[11])) return MessageError::bad_status_line;
  head_.minor_version = static_cast<std::uint8_t>(line[7] - '0');
  head_.status = static_cast<std::uint16_t>((line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0'));
  head_.reason = line.substr(least);
  return is_value_text(head_.reason) ? MessageError::none : MessageError::bad_status_line;
}

}  // namespace trunkline::http::http1
