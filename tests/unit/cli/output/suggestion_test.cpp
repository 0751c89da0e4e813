// SPDX-License-Identifier: MIT
// Names that are near to others.
#include "cli/output/suggestion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trunkline::cli::output {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> names{"example.Echo/Say", "example.Echo/Repeat", "example.Chat/Talk"};

TEST(Suggestion, DistanceCountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
  EXPECT_EQ(edit_distance("abc", "ABC"), 0u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("abcd", "abdc"), 1u);
}

TEST(Suggestion, TheNearestNameComesFirst) {
  EXPECT_THAT(near_names("example.Chat/Tlak", names), ElementsAre("example.Chat/Talk"));
  EXPECT_THAT(near_names("say", std::vector<std::string>{"pay", "say_it", "says"}), ElementsAre("pay", "says"));
}

TEST(Suggestion, TheLastPartOfANameIsEnough) {
  EXPECT_THAT(near_names("Say", names), ElementsAre("example.Echo/Say"));
  EXPECT_THAT(near_names("echo/say", names), ElementsAre("example.Echo/Say"));
  EXPECT_THAT(near_names("ay", names), IsEmpty());
}

TEST(Suggestion, FarNamesAreNotMentioned) {
  EXPECT_THAT(near_names("completely different", names), IsEmpty());
  EXPECT_THAT(near_names(std::string(100000, 'x'), names), IsEmpty());
  EXPECT_EQ(did_you_mean("zzz", names), "");
}

TEST(Suggestion, IsAQuestion) {
  const std::vector<std::string> near{"aaaa", "aaab", "aaac", "aaad"};

  EXPECT_EQ(did_you_mean("example.Echo/Sya", names), "; did you mean 'example.Echo/Say'?");
  EXPECT_EQ(did_you_mean("aaaa", near), "; did you mean 'aaaa', 'aaab' or 'aaac'?");
}

}  // namespace
}  // namespace trunkline::cli::output
