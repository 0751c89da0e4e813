// SPDX-License-Identifier: MIT
// The texts that stand for protobuf's Timestamp, Duration and FieldMask in JSON
// (https://protobuf.dev/programming-guides/json/).
#pragma once

#include <trunkline/slice.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::codec {

/// Of google.protobuf.Timestamp and google.protobuf.Duration.
struct SecondsAndNanos {
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;
};

/// "1972-01-01T10:00:20.021Z", without quotation marks and with 0, 3, 6 or 9 digits of a second. False, and nothing
/// appended, outside of the years 1 to 9999 and for nanos outside of [0, 10^9).
bool append_timestamp(SecondsAndNanos time, BufferWriter& out);
/// RFC 3339, with an offset or with Z.
bool parse_timestamp(std::string_view text, SecondsAndNanos& time) noexcept;

/// "-3.000001s". False, and nothing appended, beyond 315,576,000,000 seconds, and for nanos of another sign than the
/// seconds or beyond a second.
bool append_duration(SecondsAndNanos duration, BufferWriter& out);
bool parse_duration(std::string_view text, SecondsAndNanos& duration) noexcept;

/// "foo_bar.baz" to "fooBar.baz". False, with something appended, for a path that would not read back the same.
bool append_camel_case_path(std::string_view path, BufferWriter& out);
/// The other way round. False for a path with an underscore.
bool parse_camel_case_path(std::string_view text, std::string& path);

}  // namespace trunkline::codec
