// SPDX-License-Identifier: MIT
// Converts exactly: an integer with a fraction or an exponent does not pass through a floating-point number.
#include <codec/json_number.h>

#include <codec/json_scanner.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <type_traits>

namespace trunkline::codec {
namespace {

/// This is more digits than any integer has.
constexpr std::size_t most_digits = 20;
/// This is beyond any exponent that matters.
constexpr std::int64_t extreme_exponent = 1'000'000'000;

/// The number digits * 10^exponent, with the digits of "whole.fraction" behind each other.
struct Decimal {
  bool is_negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::int64_t exponent = 0;
};

Decimal split(std::string_view text) noexcept {
  Decimal decimal;
  decimal.is_negative = text.starts_with('-');
  if (decimal.is_negative) text.remove_prefix(1);
  if (const std::size_t at = text.find_first_of("eE"); at != std::string_view::npos) {
    std::string_view exponent = text.substr(at + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    const bool is_small = exponent.starts_with('-');
    const auto result = std::from_chars(exponent.data(), exponent.data() + exponent.size(), decimal.exponent);
    if (result.ec != std::errc()) decimal.exponent = is_small ? -extreme_exponent : extreme_exponent;
    decimal.exponent = std::clamp(decimal.exponent, -extreme_exponent, extreme_exponent);
    text = text.substr(0, at);
  }
  const std::size_t point = std::min(text.find('.'), text.size());
  decimal.whole = text.substr(0, point);
  decimal.fraction = text.substr(std::min(point + 1, text.size()));
  return decimal;
}

template <class Integer>
bool parse_decimal(std::string_view text, Integer& number) noexcept {
  Decimal decimal = split(text);
  while (decimal.fraction.ends_with('0')) decimal.fraction.remove_suffix(1);
  const auto digit = [&decimal](std::size_t i) {
    return i < decimal.whole.size() ? decimal.whole[i] : decimal.fraction[i - decimal.whole.size()];
  };
  std::size_t begin = 0;
  std::size_t end = decimal.whole.size() + decimal.fraction.size();
  std::int64_t exponent = decimal.exponent - static_cast<std::int64_t>(decimal.fraction.size());
  while (begin < end && digit(begin) == '0') ++begin;
  if (begin == end) return number = 0, true;
  for (; exponent < 0 && digit(end - 1) == '0'; ++exponent) --end;
  if (exponent < 0 || exponent > std::int64_t{most_digits} || end - begin > most_digits) return false;
  std::array<char, 2 * most_digits + 2> plain;
  char* at = plain.data();
  if (decimal.is_negative) *at++ = '-';
  for (std::size_t i = begin; i < end; ++i) *at++ = digit(i);
  at = std::fill_n(at, exponent, '0');
  const auto result = std::from_chars(plain.data(), at, number);
  return result.ec == std::errc() && result.ptr == at;
}

template <class Integer>
bool parse_integer(std::string_view text, Integer& number) noexcept {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end) return true;
  return parse_decimal(text, number);
}

/// Returns true if a number beyond the range of floating-point numbers is small rather than great.
bool is_below_one(std::string_view text) noexcept {
  const Decimal decimal = split(text);
  if (decimal.whole != "0") return decimal.exponent + static_cast<std::int64_t>(decimal.whole.size()) <= 0;
  const std::size_t zeros = std::min(decimal.fraction.find_first_not_of('0'), decimal.fraction.size());
  return decimal.exponent <= static_cast<std::int64_t>(zeros);
}

template <class Real>
bool parse_real(std::string_view text, Real& number) noexcept {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc()) return true;
  if (!is_below_one(text)) return false;
  number = text.starts_with('-') ? -Real(0) : Real(0);
  return true;
}

}  // namespace

bool parse_json_integer(std::string_view text, std::int32_t& number) noexcept { return parse_integer(text, number); }
bool parse_json_integer(std::string_view text, std::uint32_t& number) noexcept { return parse_integer(text, number); }
bool parse_json_integer(std::string_view text, std::int64_t& number) noexcept { return parse_integer(text, number); }
bool parse_json_integer(std::string_view text, std::uint64_t& number) noexcept { return parse_integer(text, number); }

bool parse_json_real(std::string_view text, double& number) noexcept { return parse_real(text, number); }
bool parse_json_real(std::string_view text, float& number) noexcept { return parse_real(text, number); }

bool is_json_number(std::string_view text) noexcept {
  JsonScanner scanner(text);
  std::string_view number;
  return scanner.read_number(number) && number.size() == text.size();
}

}  // namespace trunkline::codec
