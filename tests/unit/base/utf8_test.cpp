// SPDX-License-Identifier: MIT
// UTF-8: every code point, truncated and overlong sequences, and the size of a character.
#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::base {
namespace {

std::string encode(std::uint32_t point) {
  std::string text;
  const auto put = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | point >> 6), put(0x80 | (point & 63));
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12), put(0x80 | (point >> 6 & 63)), put(0x80 | (point & 63));
  } else {
    put(0xF0 | point >> 18), put(0x80 | (point >> 12 & 63)), put(0x80 | (point >> 6 & 63)), put(0x80 | (point & 63));
  }
  return text;
}

TEST(Utf8, AcceptsEveryCodePointButSurrogates) {
  for (std::uint32_t point = 0; point < 0x110000; ++point) {
    const bool surrogate = point >= 0xD800 && point < 0xE000;
    ASSERT_EQ(is_utf8(encode(point)), !surrogate) << point;
  }
  EXPECT_FALSE(is_utf8(encode(0x110000)));
}

TEST(Utf8, RejectsTruncatedSequences) {
  for (const std::uint32_t point : {0x80U, 0x800U, 0xFFFFU, 0x10000U, 0x10FFFFU}) {
    const std::string whole = encode(point);
    for (std::size_t size = 1; size < whole.size(); ++size) {
      EXPECT_FALSE(is_utf8(whole.substr(0, size))) << point;
      EXPECT_FALSE(is_utf8(whole.substr(0, size) + "a")) << point;
      EXPECT_FALSE(is_utf8(whole.substr(size))) << point;
    }
  }
}

TEST(Utf8, RejectsOverlongForms) {
  for (const char* text : {"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xF0\x80\x80\x80",
                           "\xF0\x8F\xBF\xBF", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_FALSE(is_utf8(text));
  }
}

TEST(Utf8, FindsABadByteAnywhereInLongText) {
  std::string text(64, 'a');
  EXPECT_TRUE(is_utf8(text));
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[i] = '\x80';
    EXPECT_FALSE(is_utf8(text)) << i;
    text[i] = 'a';
  }
}

TEST(Utf8, MeasuresTheFirstCharacter) {
  EXPECT_EQ(utf8_character_size("a\u00FC"), 1U);
  EXPECT_EQ(utf8_character_size("\u00FCa"), 2U);
  EXPECT_EQ(utf8_character_size("\u20ACa"), 3U);
  EXPECT_EQ(utf8_character_size("\U0001D11Ea"), 4U);
  EXPECT_EQ(utf8_character_size("\x80"), 0U);
  EXPECT_EQ(utf8_character_size("\xE2\x82"), 0U);
}

}  // namespace
}  // namespace trunkline::base
