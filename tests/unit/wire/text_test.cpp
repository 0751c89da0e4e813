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

TEST(IsName, AcceptsTheAlphabetAndNothingElse) {
  const std::string alphabet = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
  for (int byte = 0; byte < 256; ++byte) {
    const char letter = static_cast<char>(byte);

    EXPECT_EQ(is_name(std::string("a") + letter + "b", 64), alphabet.find(letter) != std::string::npos) << byte;
  }
}

TEST(IsName, OfMetadataIsATokenInLowerCase) {
  const std::string alphabet = "abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~";
  for (int byte = 0; byte < 256; ++byte) {
    const char letter = static_cast<char>(byte);

    const bool is_allowed = alphabet.find(letter) != std::string::npos;
    EXPECT_EQ(is_name(std::string("a") + letter, 64, metadata_name_alphabet), is_allowed) << byte;
  }
}

TEST(IsName, RefusesEmptyAndTooLong) {
  EXPECT_FALSE(is_name("", 64));
  EXPECT_TRUE(is_name(std::string(64, 'a'), 64));
  EXPECT_FALSE(is_name(std::string(65, 'a'), 64));
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

TEST(EscapeControls, LeavesTextUnchanged) {
  EXPECT_EQ(escape_controls("größer 𝄞, a\u00A0b"), "größer 𝄞, a\u00A0b");
  EXPECT_EQ(escape_controls(""), "");
}

TEST(EscapeControls, WritesControlCharactersByteByByte) {
  EXPECT_EQ(escape_controls("bye\n2026 ERROR\x1b[2J"), "bye\\x0a2026 ERROR\\x1b[2J");
  EXPECT_EQ(escape_controls(std::string("\0\x7F", 2)), "\\x00\\x7f");
  EXPECT_EQ(escape_controls("\u009Bm\u0080"), "\\xc2\\x9bm\\xc2\\x80");
  EXPECT_EQ(escape_controls("a\\x0a"), "a\\\\x0a");
}

}  // namespace
}  // namespace trunkline::wire
