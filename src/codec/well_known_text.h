// SPDX-License-Identifier: MIT
// The texts that stand for protobuf's Timestamp, Duration and FieldMask in JSON
// (https://protobuf.dev/programming-guides/json/).
#pragma once

#include <trunkline/slice.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::codec {

/// The members of google.protobuf.Timestamp and google.protobuf.Duration.
struct SecondsAndNanos {
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;
};

/// Appends "1972-01-01T10:00:20.021Z", without quotation marks and with 0, 3, 6 or 9 digits of a second. Returns false,
/// with nothing appended, outside of the years 1 to 9999 and for nanos outside of [0, 10^9).
bool append_timestamp(SecondsAndNanos time, BufferWriter& out);
/// Parses a time of RFC 3339, with an offset or with Z.
bool parse_timestamp(std::string_view text, SecondsAndNanos& time) noexcept;

/// Appends "-3.000001s". Returns false, with nothing appended, beyond 315,576,000,000 seconds, and for nanos of another
/// sign than the seconds or beyond a second.
bool append_duration(SecondsAndNanos duration, BufferWriter& out);
bool parse_duration(std::string_view text, SecondsAndNanos& duration) noexcept;

/// Appends "fooBar.baz" for "foo_bar.baz". False, with something appended, if it would not read back the same.
bool append_camel_case_path(std::string_view path, BufferWriter& out);
/// Parses "fooBar.baz" as "foo_bar.baz". Returns false for a path with an underscore.
bool parse_camel_case_path(std::string_view text, std::string& path);

}  // namespace trunkline::codec
