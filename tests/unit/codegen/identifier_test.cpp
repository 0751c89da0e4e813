// SPDX-License-Identifier: MIT
// Snake case, and names that are given once.
#include "codegen/identifier.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trunkline::codegen {

namespace {

bool is_reserved(std::string_view name) { return name == "class" || name == "class_"; }

TEST(SnakeCase, PartsWordsAtCapitals) {
  EXPECT_EQ(snake_case("Say"), "say");
  EXPECT_EQ(snake_case("SayHello"), "say_hello");
  EXPECT_EQ(snake_case("sayHello"), "say_hello");
  EXPECT_EQ(snake_case("say_hello"), "say_hello");
  EXPECT_EQ(snake_case("SAY_HELLO"), "say_hello");
}

TEST(SnakeCase, KeepsAbbreviationsTogether) {
  EXPECT_EQ(snake_case("GetHTTPStatus"), "get_http_status");
  EXPECT_EQ(snake_case("HTTPGet"), "http_get");
  EXPECT_EQ(snake_case("GetHTTP"), "get_http");
  EXPECT_EQ(snake_case("ABTest"), "ab_test");
  EXPECT_EQ(snake_case("X"), "x");
}

TEST(SnakeCase, TakesDigitsAsPartOfTheWordBefore) {
  EXPECT_EQ(snake_case("GetV2"), "get_v2");
  EXPECT_EQ(snake_case("V2Get"), "v2_get");
  EXPECT_EQ(snake_case("Http2Get"), "http2_get");
  EXPECT_EQ(snake_case("SHA256Sum"), "sha256_sum");
}

TEST(SnakeCase, LeavesOneUnderscoreOfSeveral) {
  EXPECT_EQ(snake_case("Get__It"), "get_it");
  EXPECT_EQ(snake_case("__init__"), "_init_");
  EXPECT_EQ(snake_case("Get_"), "get_");
  EXPECT_EQ(snake_case("___"), "_");
}

TEST(Split, GivesEveryPart) {
  EXPECT_EQ(split("a.b.c", '.'), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(split("a", '.'), (std::vector<std::string>{"a"}));
  EXPECT_EQ(split("", '.'), (std::vector<std::string>{""}));
  EXPECT_EQ(split("a..", '.'), (std::vector<std::string>{"a", "", ""}));
}

TEST(NameScope, AppendsAnUnderscoreAndThenNumbersUntilANameIsFree) {
  NameScope scope(is_reserved);
  scope.reserve("own");

  EXPECT_EQ(scope.take("get"), "get");
  EXPECT_EQ(scope.take("get"), "get_");
  EXPECT_EQ(scope.take("get"), "get_2");
  EXPECT_EQ(scope.take("get"), "get_3");
  EXPECT_EQ(scope.take("get_"), "get_4");
  EXPECT_EQ(scope.take("class"), "class_2");
  EXPECT_EQ(scope.take("own"), "own_");
  EXPECT_FALSE(scope.is_free("own_"));
  EXPECT_TRUE(scope.is_free("other"));
}

TEST(NameScope, PrefersThoseThatAreFreeAsTheyAre) {
  NameScope scope(is_reserved);

  const std::vector<std::string> names = scope.take_all({"class", "get", "get", "class_2", "get_"});

  EXPECT_EQ(names, (std::vector<std::string>{"class_3", "get", "get_2", "class_2", "get_"}));
}

}  // namespace

}  // namespace trunkline::codegen
