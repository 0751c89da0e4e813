// SPDX-License-Identifier: MIT
// Reads ranges, tags and dates.
#include "http/conditions.h"

#include "base/token.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string>

namespace trunkline::http {
namespace {

/// Parses a text of nothing but digits. A number that is too large counts as the largest one.
bool parse_number(std::string_view text, std::size_t& out) noexcept {
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return false;
  if (std::from_chars(text.data(), text.data() + text.size(), out).ec != std::errc())
    out = static_cast<std::size_t>(-1);
  return true;
}

constexpr std::string_view weak_prefix = "W/";

constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> weekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};

/// The numbers of a date, of which only the form has been checked.
struct DateFields {
  /// The year, which lacks its century in the form of RFC 850.
  int year = 0;
  unsigned month = 0;
  std::size_t day = 0;
  std::size_t hour = 0;
  std::size_t minute = 0;
  std::size_t second = 0;
};

/// Returns true if `text` has a digit for each 0 in `form`, a letter for each x, and equals it elsewhere.
bool has_form(std::string_view text, std::string_view form) noexcept {
  return std::equal(text.begin(), text.end(), form.begin(), form.end(), [](char given, char wanted) {
    if (wanted == '0') return given >= '0' && given <= '9';
    if (wanted == 'x') return base::ascii_lower(given) >= 'a' && base::ascii_lower(given) <= 'z';
    return given == wanted;
  });
}

/// Returns the number of `digits`, which may begin with blanks.
std::size_t number_in(std::string_view digits) noexcept {
  std::size_t number = 0;
  static_cast<void>(parse_number(base::trim_blanks(digits), number));
  return number;
}

/// Returns the fields of a date whose `time` is like "08:49:37"; nullopt if the month is unknown.
std::optional<DateFields> fields_of(std::size_t year, std::string_view month, std::string_view day,
                                    std::string_view time) noexcept {
  const auto found = std::find(months.begin(), months.end(), month);
  if (found == months.end()) return std::nullopt;
  return DateFields{.year = static_cast<int>(year),
                    .month = static_cast<unsigned>(found - months.begin()) + 1,
                    .day = number_in(day),
                    .hour = number_in(time.substr(0, 2)),
                    .minute = number_in(time.substr(3, 2)),
                    .second = number_in(time.substr(6, 2))};
}

/// Reads "Sun, 06 Nov 1994 08:49:37 GMT".
std::optional<DateFields> fields_of_fixdate(std::string_view text) noexcept {
  if (!has_form(text, "xxx, 00 xxx 0000 00:00:00 GMT")) return std::nullopt;
  return fields_of(number_in(text.substr(12, 4)), text.substr(8, 3), text.substr(5, 2), text.substr(17, 8));
}

/// Reads "Sunday, 06-Nov-94 08:49:37 GMT".
std::optional<DateFields> fields_of_rfc850(std::string_view text, std::size_t comma) noexcept {
  if (std::find(weekdays.begin(), weekdays.end(), text.substr(0, comma)) == weekdays.end()) return std::nullopt;
  text.remove_prefix(comma);
  if (!has_form(text, ", 00-xxx-00 00:00:00 GMT")) return std::nullopt;
  return fields_of(number_in(text.substr(9, 2)), text.substr(5, 3), text.substr(2, 2), text.substr(12, 8));
}

/// Reads "Sun Nov  6 08:49:37 1994".
std::optional<DateFields> fields_of_asctime(std::string_view text) noexcept {
  if (!has_form(text, "xxx xxx  0 00:00:00 0000") && !has_form(text, "xxx xxx 00 00:00:00 0000")) return std::nullopt;
  return fields_of(number_in(text.substr(20, 4)), text.substr(4, 3), text.substr(8, 2), text.substr(11, 8));
}

std::optional<std::int64_t> seconds_of(const DateFields& fields, int year) noexcept {
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(fields.month),
                                         std::chrono::day(static_cast<unsigned>(fields.day))};
  if (!date.ok() || fields.hour > 23 || fields.minute > 59 || fields.second > 60) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return std::int64_t{days} * 86400 +
         static_cast<std::int64_t>(fields.hour * 3600 + fields.minute * 60 + fields.second);
}

/// Returns true if the response was modified after the date of a field; nullopt if one of the two has no date.
std::optional<bool> is_modified_since(std::string_view modified, std::optional<std::string_view> date) {
  const auto own = parse_http_date(modified);
  const auto given = parse_http_date(date.value_or(std::string_view()));
  if (!own || !given) return std::nullopt;
  return *own > *given;
}

/// Joins all fields of this name, as several fields of a list are one list (RFC 9110, section 5.3).
std::optional<std::string> list_of(const Metadata& headers, std::string_view name) {
  std::optional<std::string> list;
  for (const std::string_view part : headers.get_all(name)) {
    if (list) {
      list->append(", ").append(part);
    } else {
      list.emplace(part);
    }
  }
  return list;
}

/// Returns true if the part that the client has is one of this response.
bool is_of_same(std::string_view if_range, std::string_view tag, std::string_view modified) {
  const bool is_tag = if_range.ends_with('"');
  if (!is_tag) return !modified.empty() && if_range == modified;
  // A list is malformed here.
  return if_range.find(',') == if_range.npos && lists_tag(if_range, tag, true);
}

}  // namespace

ByteRange ByteRange::parse(std::string_view field, std::size_t content_bytes) noexcept {
  const std::size_t equals = field.find('=');
  constexpr std::string_view unit = "bytes";
  const std::string_view named = field.substr(0, std::min(equals, field.size()));
  const bool is_bytes = std::equal(named.begin(), named.end(), unit.begin(), unit.end(),
                                   [](char a, char b) { return base::ascii_lower(a) == b; });
  if (equals == field.npos || !is_bytes) return {};
  const std::string_view range = base::trim_blanks(field.substr(equals + 1));
  const std::size_t dash = range.find('-');
  if (dash == range.npos || range.find(',') != range.npos) return {};
  const std::string_view first_text = range.substr(0, dash);
  const std::string_view last_text = range.substr(dash + 1);
  std::size_t first = 0;
  std::size_t last = static_cast<std::size_t>(-1);
  if (first_text.empty()) {
    std::size_t count = 0;
    if (!parse_number(last_text, count)) return {};
    count = std::min(count, content_bytes);
    if (count == 0) return {.kind = Kind::unsatisfiable};
    return {.kind = Kind::part, .offset = content_bytes - count, .size = count};
  }
  if (!parse_number(first_text, first)) return {};
  if (!last_text.empty() && (!parse_number(last_text, last) || last < first)) return {};
  if (first >= content_bytes) return {.kind = Kind::unsatisfiable};
  last = std::min(last, content_bytes - 1);
  return {.kind = Kind::part, .offset = first, .size = last - first + 1};
}

bool lists_tag(std::string_view list, std::string_view tag, bool is_strong) noexcept {
  const auto split = [](std::string_view text) {
    const bool is_weak = text.starts_with(weak_prefix);
    return std::pair(is_weak ? text.substr(weak_prefix.size()) : text, is_weak);
  };
  const auto [own, is_own_weak] = split(base::trim_blanks(tag));
  if (own.empty() || (is_strong && is_own_weak)) return false;
  if (base::trim_blanks(list) == "*") return true;
  // A tag has no quotation mark in it, but may have a comma.
  while (!(list = base::trim_blanks(list)).empty()) {
    if (list.front() == ',') {
      list.remove_prefix(1);
      continue;
    }
    const std::size_t begin = list.starts_with(weak_prefix) ? weak_prefix.size() : 0;
    if (begin >= list.size() || list[begin] != '"') return false;
    const std::size_t end = list.find('"', begin + 1);
    if (end == list.npos) return false;
    const auto [given, is_given_weak] = split(list.substr(0, end + 1));
    if (given == own && !(is_strong && is_given_weak)) return true;
    list.remove_prefix(end + 1);
  }
  return false;
}

std::optional<std::int64_t> parse_http_date(std::string_view text, std::int64_t now) noexcept {
  const std::size_t comma = text.find(',');
  const auto fields = comma == text.npos ? fields_of_asctime(text)
                      : comma == 3       ? fields_of_fixdate(text)
                                         : fields_of_rfc850(text, comma);
  if (!fields) return std::nullopt;
  std::optional<std::int64_t> seconds = seconds_of(*fields, fields->year);
  if (comma == text.npos || comma == 3) return seconds;
  // The earlier centuries are wrong for some, because they lack 29 February.
  constexpr int this_century = 2000;
  constexpr std::int64_t year_seconds = 31'556'952;
  seconds.reset();
  for (int century = this_century + 100; !seconds && century >= this_century - 200; century -= 100) {
    seconds = seconds_of(*fields, century + fields->year);
    if (seconds && *seconds > now + 50 * year_seconds) seconds.reset();
  }
  return seconds;
}

std::optional<std::int64_t> parse_http_date(std::string_view text) noexcept {
  using namespace std::chrono;
  return parse_http_date(text, duration_cast<seconds>(system_clock::now().time_since_epoch()).count());
}

ConditionalAnswer answer_conditions(std::string_view http_method, const Metadata& headers, std::string_view tag,
                                    std::string_view modified, std::size_t content_bytes) {
  const bool is_get = http_method == "GET";
  if (!is_get && http_method != "HEAD") return {};
  if (const auto tags = list_of(headers, "if-match")) {
    if (!lists_tag(*tags, tag, true)) return {.status = 412};
  } else if (is_modified_since(modified, headers.get("if-unmodified-since")).value_or(false)) {
    return {.status = 412};
  }
  if (const auto tags = list_of(headers, "if-none-match")) {
    if (lists_tag(*tags, tag, false)) return {.status = 304};
  } else if (!is_modified_since(modified, headers.get("if-modified-since")).value_or(true)) {
    return {.status = 304};
  }
  const auto if_range = headers.get("if-range");
  if (!is_get || (if_range && !is_of_same(*if_range, tag, modified))) return {};
  const ByteRange range = ByteRange::parse(headers.get("range").value_or(std::string_view()), content_bytes);
  if (range.kind == ByteRange::Kind::whole) return {};
  if (range.kind == ByteRange::Kind::unsatisfiable) return {.status = 416};
  return {.status = 206, .offset = range.offset, .size = range.size};
}

}  // namespace trunkline::http
