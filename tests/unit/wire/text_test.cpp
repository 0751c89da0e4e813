// SPDX-License-Identifier: MIT
// Names and UTF-8.
#include "wire/text.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::wire {
namespace {

using namespace std::string_literals;

std::string as_utf8(const std::string& text) {
  std::string out(text.size(), '\0');
  copy_as_utf8(text, reinterpret_cast<std::byte*>(out.data()));
  return out;
}

/// UTF-8 of any number, surrogates and too great ones as well.
std::string encoded(std::uint32_t point) {
  const auto tail = [point](int shift) { return static_cast<char>(0x80 | (point >> shift & 0x3F)); };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xC0 | point >> 6), tail(0)};
  if (point < 0x10000) return {static_cast<char>(0xE0 | point >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | point >> 18), tail(12), tail(6), tail(0)};
}

TEST(IsName, AcceptsTheAlphabetAndNothingElse) {
  const std::string alphabet = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
  for (int byte = 0; byte < 256; ++byte) {
    const char letter = static_cast<char>(byte);

    EXPECT_EQ(is_name(std::string("a") + letter + "b", 64), alphabet.find(letter) != std::string::npos) << byte;
  }
}

TEST(IsName, RefusesEmptyAndTooLong) {
  EXPECT_FALSE(is_name("", 64));
  EXPECT_TRUE(is_name(std::string(64, 'a'), 64));
  EXPECT_FALSE(is_name(std::string(65, 'a'), 64));
}

TEST(IsUtf8, AcceptsEveryCharacterButSurrogates) {
  for (std::uint32_t point = 0; point < 0x110000; ++point) {
    const bool surrogate = point >= 0xD800 && point < 0xE000;

    ASSERT_EQ(is_utf8(encoded(point)), !surrogate) << point;
  }
}

TEST(IsUtf8, RefusesWhatIsPastTheLastCharacter) {
  EXPECT_FALSE(is_utf8(encoded(0x110000)));
  EXPECT_FALSE(is_utf8("\xF5\x80\x80\x80"));
  EXPECT_FALSE(is_utf8("\xFF"));
}

TEST(IsUtf8, RefusesOverlongForms) {
  EXPECT_FALSE(is_utf8("\xC0\x80"));
  EXPECT_FALSE(is_utf8("\xC1\xBF"));
  EXPECT_FALSE(is_utf8("\xE0\x9F\xBF"));
  EXPECT_FALSE(is_utf8("\xF0\x8F\xBF\xBF"));
}

TEST(IsUtf8, RefusesEveryTruncationAndStrayContinuation) {
  for (const std::string& whole : {"ü"s, "€"s, "𝄞"s}) {
    for (std::size_t size = 1; size < whole.size(); ++size) {
      EXPECT_FALSE(is_utf8(whole.substr(0, size)));
      EXPECT_FALSE(is_utf8(whole.substr(size)));
      EXPECT_FALSE(is_utf8(whole.substr(0, size) + "x"));
    }
  }
}

TEST(IsUtf8, FindsABadByteAtEveryPlaceOfALongText) {
  for (std::size_t at = 0; at < 40; ++at) {
    std::string text(40, 'a');
    EXPECT_TRUE(is_utf8(text));

    text[at] = '\x80';

    EXPECT_FALSE(is_utf8(text)) << at;
  }
}

TEST(Utf8Prefix, CutsBetweenCharacters) {
  const std::string text = "aü€𝄞";
  const std::size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
  for (std::size_t limit = 0; limit < std::size(expected); ++limit) {
    EXPECT_EQ(utf8_prefix(text, limit), text.substr(0, expected[limit])) << limit;
  }
}

TEST(Utf8Prefix, CutsWhatIsNotUtf8Anywhere) { EXPECT_EQ(utf8_prefix("\x80\x80\x80\x80\x80\x80", 5).size(), 5U); }

TEST(CopyAsUtf8, KeepsGoodTextAndMarksBadBytes) {
  EXPECT_EQ(as_utf8("größer 𝄞"), "größer 𝄞");
  EXPECT_EQ(as_utf8("a\xFFz"), "a?z");
  EXPECT_EQ(as_utf8("\xED\xA0\x80"), "???");
  EXPECT_EQ(as_utf8("\xE2\x82"), "??");
  EXPECT_EQ(as_utf8(""), "");
}

}  // namespace
}  // namespace trunkline::wire
