// SPDX-License-Identifier: MIT
// The fields by which a request asks for a part of a response, or for none of it (RFC 9110, sections 13 and 14).
#pragma once

#include <trunkline/metadata.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace trunkline::http {

/// The range that the field Range asks of a content.
struct ByteRange {
  enum class Kind : std::uint8_t {
    /// The field is to be ignored: it is malformed, has another unit, or asks for several ranges.
    whole,
    part,
    /// No byte of the range exists.
    unsatisfiable,
  };
  Kind kind = Kind::whole;
  std::size_t offset = 0;
  std::size_t size = 0;

  /// Reads the field of a request for a content of `content_bytes`.
  static ByteRange parse(std::string_view field, std::size_t content_bytes) noexcept;
};

/// Returns true if a list of entity tags, or "*", has `tag`. A strong comparison matches no weak tag.
bool lists_tag(std::string_view list, std::string_view tag, bool is_strong) noexcept;

/// Returns the seconds since 1970 of a date in one of the three forms of RFC 9110, section 5.6.7: "Sun, 06 Nov 1994
/// 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"; nullopt if it has another form and is
/// to be ignored. The two digits of the second form mean the last such year not more than 50 years after `now`.
std::optional<std::int64_t> parse_http_date(std::string_view text, std::int64_t now) noexcept;
/// Returns the seconds of the date, with the time of the system as `now`.
std::optional<std::int64_t> parse_http_date(std::string_view text) noexcept;

/// The outcome of a conditional request whose response has the status 200.
struct ConditionalAnswer {
  /// The status to send: 200 for the whole response, 304 if the client has it already, 412 if it is not what the client
  /// expects, 206 for a part of it, 416 if there is no such part.
  std::uint32_t status = 200;
  /// The place of the part in the content, if the status is 206.
  std::size_t offset = 0;
  std::size_t size = 0;
};

/// Applies the conditions of a request. `headers` are the request's, with names in lower case. `tag` and `modified` are
/// the headers ETag and Last-Modified of the response, empty without them.
ConditionalAnswer answer_conditions(std::string_view http_method, const Metadata& headers, std::string_view tag,
                                    std::string_view modified, std::size_t content_bytes);

}  // namespace trunkline::http
