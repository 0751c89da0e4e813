// SPDX-License-Identifier: MIT
// NAME:VALUE.
#include "cli/arguments/metadata_argument.h"

#include <gtest/gtest.h>

namespace trunkline::cli::arguments {
namespace {

std::string refusal(std::string_view argument) {
  Metadata metadata;
  return std::string(add_metadata(argument, metadata).message());
}

TEST(MetadataArgument, IsSplitAtTheFirstColon) {
  Metadata metadata;

  ASSERT_TRUE(add_metadata("Authorization: Bearer a:b ", metadata).is_ok());
  ASSERT_TRUE(add_metadata("x-empty:", metadata).is_ok());
  ASSERT_TRUE(add_metadata("x-twice:1", metadata).is_ok());
  ASSERT_TRUE(add_metadata("x-twice:2", metadata).is_ok());

  EXPECT_EQ(metadata, (Metadata{{"authorization", "Bearer a:b"}, {"x-empty", ""}, {"x-twice", "1"}, {"x-twice", "2"}}));
}

TEST(MetadataArgument, BinaryValuesAreBase64) {
  Metadata metadata;

  ASSERT_TRUE(add_metadata("x-bin: AAECAw==", metadata).is_ok());
  ASSERT_TRUE(add_metadata("y-bin:AAECAw", metadata).is_ok());

  const std::string bytes{0, 1, 2, 3};
  EXPECT_EQ(metadata.get("x-bin"), bytes);
  EXPECT_EQ(metadata.get("y-bin"), bytes);
  EXPECT_EQ(format_metadata(*metadata.begin()), "x-bin: AAECAw==");
}

TEST(MetadataArgument, WhatIsNoneIsRefusedWithoutItsValue) {
  EXPECT_EQ(refusal("token secret"), "metadata: expected NAME:VALUE, but there is no colon");
  EXPECT_EQ(refusal(":secret"), "metadata: name '' is not 1 to 255 of letters, digits, '-', '_' and '.'");
  EXPECT_EQ(refusal("a b:secret"), "metadata: name 'a b' is not 1 to 255 of letters, digits, '-', '_' and '.'");
  EXPECT_EQ(refusal("x-bin:s*cret"), "metadata: value of 'x-bin' is not base64");
}

TEST(MetadataArgument, IsWrittenHarmlessly) { EXPECT_EQ(format_metadata({"x", "a\x1b[31mb"}), "x: a\\x1b[31mb"); }

}  // namespace
}  // namespace trunkline::cli::arguments
