// SPDX-License-Identifier: MIT
// Tests of JSON's numbers as those of C++.
#include <codec/json_number.h>

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>

namespace trunkline::codec {
namespace {

template <class Integer>
std::optional<Integer> integer(std::string_view text) {
  Integer number = 0;
  return parse_json_integer(text, number) ? std::optional(number) : std::nullopt;
}

template <class Real>
std::optional<Real> real(std::string_view text) {
  Real number = 0;
  return parse_json_real(text, number) ? std::optional(number) : std::nullopt;
}

TEST(JsonNumber, ReadsIntegersInAnySpelling) {
  EXPECT_EQ(integer<std::int32_t>("-2147483648"), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(integer<std::uint64_t>("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(integer<std::int64_t>("9223372036854775807.0"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(integer<std::int32_t>("1.000"), 1);
  EXPECT_EQ(integer<std::int32_t>("1e5"), 100000);
  EXPECT_EQ(integer<std::int32_t>("12.5e1"), 125);
  EXPECT_EQ(integer<std::int32_t>("-1200E-2"), -12);
  EXPECT_EQ(integer<std::uint32_t>("0.0000000001e10"), 1U);
  EXPECT_EQ(integer<std::uint32_t>("-0"), 0U);
  EXPECT_EQ(integer<std::uint32_t>("-0.0e99999999999"), 0U);
  EXPECT_EQ(integer<std::int32_t>("0e99999999999"), 0);
  EXPECT_EQ(integer<std::int32_t>("1" + std::string(100, '0') + "e-100"), 1);
}

TEST(JsonNumber, RefusesWhatIsNoIntegerOfTheRange) {
  EXPECT_EQ(integer<std::int32_t>("2147483648"), std::nullopt);
  EXPECT_EQ(integer<std::uint32_t>("-1"), std::nullopt);
  EXPECT_EQ(integer<std::uint64_t>("18446744073709551616"), std::nullopt);
  EXPECT_EQ(integer<std::int64_t>("9223372036854775807.5"), std::nullopt);
  EXPECT_EQ(integer<std::int32_t>("0.5"), std::nullopt);
  EXPECT_EQ(integer<std::int32_t>("15e-1"), std::nullopt);
  EXPECT_EQ(integer<std::int32_t>("1e10"), std::nullopt);
  EXPECT_EQ(integer<std::int64_t>("1e99999999999"), std::nullopt);
  EXPECT_EQ(integer<std::int64_t>("1e-99999999999"), std::nullopt);
  EXPECT_EQ(integer<std::int64_t>(std::string(1000, '9')), std::nullopt);
}

TEST(JsonNumber, ReadsRealNumbers) {
  EXPECT_EQ(real<double>("1.5e300"), 1.5e300);
  EXPECT_EQ(real<float>("3.4028235e38"), std::numeric_limits<float>::max());
  EXPECT_EQ(real<double>("-0"), 0.0);
  EXPECT_EQ(real<double>("4.9e-324"), std::numeric_limits<double>::denorm_min());
}

TEST(JsonNumber, TakesWhatIsTooSmallForZero) {
  EXPECT_EQ(real<double>("1e-400"), 0.0);
  EXPECT_EQ(real<float>("1e-60"), 0.0F);
  EXPECT_EQ(real<double>("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(real<double>("0." + std::string(400, '0') + "1e10"), 0.0);
  EXPECT_EQ(real<double>("1e-99999999999"), 0.0);
  EXPECT_EQ(real<double>("1" + std::string(400, '0') + "e-1000"), 0.0);
}

TEST(JsonNumber, RefusesRealNumbersBeyondTheRange) {
  EXPECT_EQ(real<double>("1e400"), std::nullopt);
  EXPECT_EQ(real<float>("1e39"), std::nullopt);
  EXPECT_EQ(real<double>("1" + std::string(400, '0') + "e-10"), std::nullopt);
  EXPECT_EQ(real<double>("0.1e400"), std::nullopt);
  EXPECT_EQ(real<double>("-1e99999999999"), std::nullopt);
}

}  // namespace
}  // namespace trunkline::codec
