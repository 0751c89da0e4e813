// SPDX-License-Identifier: MIT
// Text for terminals.
#include "cli/output/terminal.h"

#include <gtest/gtest.h>

namespace trunkline::cli::output {
namespace {

TEST(Terminal, ControlCharactersAreEscaped) {
  EXPECT_EQ(escaped("a\x1b[31mb\x07\x7f"), "a\\x1b[31mb\\x07\\x7f");
  EXPECT_EQ(escaped("a\nb\tc"), "a\\x0ab\\x09c");
  EXPECT_EQ(escaped("a\nb\tc", true), "a\nb\tc");
  EXPECT_EQ(escaped("\xC2\x9B"
                    "31m"),
            "\\x9b31m");
  EXPECT_EQ(escaped("\u00e4\u20ac"), "\u00e4\u20ac");
}

TEST(Terminal, CharactersThatTurnTextAroundAreEscaped) {
  EXPECT_EQ(escaped("a\u202A\u202Eb", true), "a\\u202a\\u202eb");
  EXPECT_EQ(escaped("\u2066c\u2069"), "\\u2066c\\u2069");
  EXPECT_EQ(escaped("\u2029\u202F\u2065\u206A"), "\u2029\u202F\u2065\u206A");
}

TEST(Terminal, WidthCountsCharacters) {
  EXPECT_EQ(text_width("abc"), 3u);
  EXPECT_EQ(text_width("\u00e4\u20ac"), 2u);
}

TEST(Terminal, TextIsCutAtACharacter) {
  EXPECT_EQ(fit_text("abc", 3), "abc");
  EXPECT_EQ(fit_text("abcd", 3), "ab\u2026");
  EXPECT_EQ(fit_text("\u00e4\u00e4\u00e4\u00e4", 3), "\u00e4\u00e4\u2026");
  EXPECT_EQ(fit_text("abc", 1), "\u2026");
  EXPECT_EQ(fit_text("abc", 0), "");
}

}  // namespace
}  // namespace trunkline::cli::output
