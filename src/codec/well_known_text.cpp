// SPDX-License-Identifier: MIT
// Computes with calendars, fractions of seconds and cases of names.
#include <codec/well_known_text.h>

#include <charconv>
#include <chrono>
#include <cstdio>

namespace trunkline::codec {
namespace {

using std::chrono::sys_days;

constexpr std::int32_t nanos_per_second = 1'000'000'000;
constexpr std::int64_t seconds_per_day = 86'400;
constexpr std::int64_t max_duration_seconds = 315'576'000'000;
/// The first second of year 1, and the last of year 9999.
constexpr std::int64_t min_timestamp_seconds = -62'135'596'800;
constexpr std::int64_t max_timestamp_seconds = 253'402'300'799;

/// Takes `count` digits off the front of the text.
bool take_digits(std::string_view& text, std::size_t count, int& number) noexcept {
  if (text.size() < count) return false;
  number = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    number = number * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return true;
}

bool take(std::string_view& text, char wanted) noexcept {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

/// Takes a point and up to nine digits, or nothing.
bool take_fraction(std::string_view& text, std::int32_t& nanos) noexcept {
  nanos = 0;
  if (!take(text, '.')) return true;
  std::int32_t unit = nanos_per_second / 10;
  std::size_t count = 0;
  for (; count < text.size() && text[count] >= '0' && text[count] <= '9'; ++count) {
    if (unit == 0) return false;
    nanos += unit * (text[count] - '0');
    unit /= 10;
  }
  text.remove_prefix(count);
  return count > 0;
}

/// Appends a point and 3, 6 or 9 digits, or nothing for 0.
void append_fraction(std::int32_t nanos, BufferWriter& out) {
  if (nanos == 0) return;
  char digits[16];
  int size = std::snprintf(digits, sizeof(digits), ".%09d", static_cast<int>(nanos));
  while (std::string_view(digits, static_cast<std::size_t>(size)).ends_with("000")) size -= 3;
  out.append(std::string_view(digits, static_cast<std::size_t>(size)));
}

/// Takes an offset, in seconds. Returns false for a malformed one.
bool take_offset(std::string_view& text, std::int64_t& offset) noexcept {
  offset = 0;
  if (take(text, 'Z')) return true;
  const bool is_negative = take(text, '-');
  if (!is_negative && !take(text, '+')) return false;
  int hours = 0;
  int minutes = 0;
  if (!take_digits(text, 2, hours) || !take(text, ':') || !take_digits(text, 2, minutes)) return false;
  if (hours > 23 || minutes > 59) return false;
  offset = (hours * 60 + minutes) * (is_negative ? -60 : 60);
  return true;
}

}  // namespace

bool append_timestamp(SecondsAndNanos time, BufferWriter& out) {
  if (time.seconds < min_timestamp_seconds || time.seconds > max_timestamp_seconds) return false;
  if (time.nanos < 0 || time.nanos >= nanos_per_second) return false;
  const std::chrono::sys_seconds point{std::chrono::seconds(time.seconds)};
  const sys_days day = std::chrono::floor<std::chrono::days>(point);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(point - day);
  char text[80];
  const int size = std::snprintf(text, sizeof(text), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                 static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                                 static_cast<int>(clock.seconds().count()));
  out.append(std::string_view(text, static_cast<std::size_t>(size)));
  append_fraction(time.nanos, out);
  out.append("Z");
  return true;
}

bool parse_timestamp(std::string_view text, SecondsAndNanos& time) noexcept {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  const bool is_complete = take_digits(text, 4, year) && take(text, '-') && take_digits(text, 2, month) &&
                           take(text, '-') && take_digits(text, 2, day) && take(text, 'T') &&
                           take_digits(text, 2, hour) && take(text, ':') && take_digits(text, 2, minute) &&
                           take(text, ':') && take_digits(text, 2, second);
  std::int64_t offset = 0;
  if (!is_complete || !take_fraction(text, time.nanos) || !take_offset(text, offset) || !text.empty()) return false;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return false;
  const std::int64_t days = sys_days(date).time_since_epoch().count();
  time.seconds = days * seconds_per_day + (hour * 60 + minute) * 60 + second - offset;
  return time.seconds >= min_timestamp_seconds && time.seconds <= max_timestamp_seconds;
}

bool append_duration(SecondsAndNanos duration, BufferWriter& out) {
  const auto [seconds, nanos] = duration;
  if (seconds < -max_duration_seconds || seconds > max_duration_seconds) return false;
  if (nanos <= -nanos_per_second || nanos >= nanos_per_second) return false;
  if ((seconds < 0 && nanos > 0) || (seconds > 0 && nanos < 0)) return false;
  if (seconds < 0 || nanos < 0) out.append("-");
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof(digits), seconds < 0 ? -seconds : seconds).ptr;
  out.append(std::string_view(digits, static_cast<std::size_t>(end - digits)));
  append_fraction(nanos < 0 ? -nanos : nanos, out);
  out.append("s");
  return true;
}

bool parse_duration(std::string_view text, SecondsAndNanos& duration) noexcept {
  const bool is_negative = take(text, '-');
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), duration.seconds);
  if (error != std::errc() || duration.seconds > max_duration_seconds) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!take_fraction(text, duration.nanos) || text != "s") return false;
  if (is_negative) duration = {-duration.seconds, -duration.nanos};
  return true;
}

bool append_camel_case_path(std::string_view path, BufferWriter& out) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    char c = path[i];
    if (c >= 'A' && c <= 'Z') return false;
    if (c == '_') {
      if (++i == path.size() || path[i] < 'a' || path[i] > 'z') return false;
      c = static_cast<char>(path[i] - 'a' + 'A');
    }
    out.push_back(static_cast<std::byte>(c));
  }
  return true;
}

bool parse_camel_case_path(std::string_view text, std::string& path) {
  for (const char c : text) {
    if (c == '_') return false;
    if (c >= 'A' && c <= 'Z') {
      path += {'_', static_cast<char>(c - 'A' + 'a')};
    } else {
      path += c;
    }
  }
  return true;
}

}  // namespace trunkline::codec
