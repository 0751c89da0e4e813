// SPDX-License-Identifier: MIT
// MessageError: says why bytes are no message of HTTP/1.1 that this side takes, and what a server answers.
#pragma once

#include <cstdint>
#include <string_view>

namespace trunkline::http::http1 {

/// An error after which it is uncertain where the next message begins, so the connection ends with the answer.
enum class MessageError : std::uint8_t {
  none,
  // --- lines ---
  bare_line_feed,
  target_too_long,
  head_too_long,
  too_many_fields,
  // --- the first line ---
  bad_request_line,
  bad_method,
  bad_target,
  bad_version,
  version_not_supported,
  bad_status_line,
  // --- fields ---
  folded_field,
  field_without_colon,
  space_before_colon,
  bad_field_name,
  bad_field_value,
  no_host,
  two_hosts,
  bad_host,
  other_host,
  // --- the length of the content ---
  bad_content_length,
  two_content_lengths,
  length_and_chunked,
  two_transfer_encodings,
  transfer_encoding_not_known,
  chunked_in_http_1_0,
  unknown_expectation,
  // --- chunks ---
  bad_chunk_size,
  chunk_line_too_long,
  chunk_without_end,
  too_many_extensions,
  framing_field_in_trailers,
};

/// Returns the status code of the answer. `error` must not be none.
std::uint16_t http_status_of(MessageError error) noexcept;
/// Returns a description of the error, for people.
std::string_view to_string(MessageError error) noexcept;

}  // namespace trunkline::http::http1
