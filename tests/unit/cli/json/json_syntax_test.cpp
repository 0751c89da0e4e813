// SPDX-License-Identifier: MIT
// What is JSON, and where it is not.
#include "cli/json/json_syntax.h"

#include <gtest/gtest.h>

namespace trunkline::cli::json {
namespace {

std::string reason(const std::string& text) { return std::string(check_json({text, 3, 5}).message()); }

TEST(JsonSyntax, JsonIsTaken) {
  EXPECT_EQ(reason(R"({"a": [1, -2.5, 18446744073709551616, true, null, "x"], "a": {}})"), "");
  EXPECT_EQ(reason("0"), "");
}

TEST(JsonSyntax, AnErrorSaysWhere) {
  EXPECT_TRUE(reason("{\n \"a\": x}").starts_with("line 4, column 7: invalid literal")) << reason("{\n \"a\": x}");
  EXPECT_TRUE(reason("[1,").starts_with("line 3, column 8: ")) << reason("[1,");
  EXPECT_NE(reason("1e999"), "");
  EXPECT_NE(reason("1 2"), "");
}

TEST(JsonSyntax, ManyMembersAndLevelsAreTaken) {
  std::string members = "{\"a\": 1";
  for (int i = 0; i < 100'000; ++i) members += ", \"m" + std::to_string(i) + "\": 1";

  EXPECT_EQ(reason(members + "}"), "");
  EXPECT_EQ(reason(std::string(100'000, '[') + std::string(100'000, ']')), "");
}

}  // namespace
}  // namespace trunkline::cli::json
