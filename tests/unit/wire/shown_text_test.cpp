// SPDX-License-Identifier: MIT
// Bytes of a peer in an error text.
#include "wire/shown_text.h"

#include <gtest/gtest.h>

namespace trunkline::wire {
namespace {

TEST(ShownText, IsOneLineOfUtf8) {
  EXPECT_EQ(shown("caf\xC3\xA9"), "caf\xC3\xA9");
  EXPECT_EQ(shown("a\r\nfake: b\x1b[31m\x7f"), "a\\x0d\\x0afake: b\\x1b[31m\\x7f");
  EXPECT_EQ(shown("\xFF\x80z"), "??z");
}

TEST(ShownText, IsCutBetweenCharacters) {
  EXPECT_EQ(shown("abc", 2), "ab");
  EXPECT_EQ(shown("a\xC3\xA9", 2), "a");
  EXPECT_EQ(shown(std::string(500, 'x')).size(), 128u);
}

}  // namespace
}  // namespace trunkline::wire
