// SPDX-License-Identifier: MIT
// The table of errors.
#include "http/http1/message_error.h"

namespace trunkline::http::http1 {
namespace {

struct Row {
  std::uint16_t http_status;
  std::string_view text;
};

Row row_of(MessageError error) noexcept {
  switch (error) {
    case MessageError::none:
      break;
    case MessageError::bare_line_feed:
      return {400, "a line ends with a line feed alone"};
    case MessageError::target_too_long:
      return {414, "the first line is too long"};
    case MessageError::head_too_long:
      return {431, "the fields are too long"};
    case MessageError::too_many_fields:
      return {431, "there are too many fields"};
    case MessageError::bad_request_line:
      return {400, "the first line is not a method, a target and a version with one space between them"};
    case MessageError::bad_method:
      return {400, "the method is not a token"};
    case MessageError::bad_target:
      return {400, "the target of the request is malformed"};
    case MessageError::bad_version:
      return {400, "the version is malformed"};
    case MessageError::version_not_supported:
      return {505, "the version is neither HTTP/1.1 nor HTTP/1.0"};
    case MessageError::bad_status_line:
      return {502, "the first line is not a version, a status of three digits and a reason"};
    case MessageError::folded_field:
      return {400, "a field is folded over several lines"};
    case MessageError::field_without_colon:
      return {400, "a field has no colon"};
    case MessageError::space_before_colon:
      return {400, "a space stands between the name of a field and its colon"};
    case MessageError::bad_field_name:
      return {400, "the name of a field is not a token"};
    case MessageError::bad_field_value:
      return {400, "the value of a field has a control character"};
    case MessageError::no_host:
      return {400, "there is no Host"};
    case MessageError::two_hosts:
      return {400, "there is more than one Host"};
    case MessageError::bad_host:
      return {400, "Host is malformed"};
    case MessageError::other_host:
      return {400, "Host is not the host of the target"};
    case MessageError::bad_content_length:
      return {400, "Content-Length is not a number of decimal digits below 2^63"};
    case MessageError::two_content_lengths:
      return {400, "there is more than one Content-Length"};
    case MessageError::length_and_chunked:
      return {400, "there are both Content-Length and Transfer-Encoding"};
    case MessageError::two_transfer_encodings:
      return {400, "there is more than one Transfer-Encoding"};
    case MessageError::transfer_encoding_not_known:
      return {501, "Transfer-Encoding is not chunked"};
    case MessageError::chunked_in_http_1_0:
      return {400, "HTTP/1.0 has no Transfer-Encoding"};
    case MessageError::unknown_expectation:
      return {417, "Expect is not 100-continue"};
    case MessageError::bad_chunk_size:
      return {400, "the size of a chunk is malformed"};
    case MessageError::chunk_line_too_long:
      return {400, "the line with the size of a chunk is too long"};
    case MessageError::chunk_without_end:
      return {400, "a chunk is not followed by the end of its line"};
    case MessageError::too_many_extensions:
      return {400, "the extensions of chunks are too long"};
    case MessageError::framing_field_in_trailers:
      return {400, "the trailers have a field that says how the message is sent"};
  }
  return {500, "no error"};
}

}  // namespace

std::uint16_t http_status_of(MessageError error) noexcept { return row_of(error).http_status; }

std::string_view to_string(MessageError error) noexcept { return row_of(error).text; }

}  // namespace trunkline::http::http1
