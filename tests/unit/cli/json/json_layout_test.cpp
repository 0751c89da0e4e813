// SPDX-License-Identifier: MIT
// White space made anew.
#include "cli/json/json_layout.h"

#include <gtest/gtest.h>

namespace trunkline::cli::json {
namespace {

std::string compact(std::string_view json) { return lay_out(json, JsonLayout::compact); }
std::string pretty(std::string_view json) { return lay_out(json, JsonLayout::pretty); }

TEST(JsonLayout, CompactIsOneLine) {
  EXPECT_EQ(compact("{\n  \"a\" : [ 1 , 2 ],\r\n\t\"b\": \"x \\\" , y\" }\n"), "{\"a\":[1,2],\"b\":\"x \\\" , y\"}");
  EXPECT_EQ(compact(" 12 "), "12");
  EXPECT_EQ(compact("[ ]"), "[]");
}

TEST(JsonLayout, PrettyHasALineForEachMember) {
  EXPECT_EQ(pretty("{\"a\":[1,{\"b\":null}],\"c\":{},\"d\":[]}"),
            "{\n"
            "  \"a\": [\n"
            "    1,\n"
            "    {\n"
            "      \"b\": null\n"
            "    }\n"
            "  ],\n"
            "  \"c\": {},\n"
            "  \"d\": []\n"
            "}");
  EXPECT_EQ(pretty("\"text\""), "\"text\"");
}

TEST(JsonLayout, NumbersStayAsTheyAre) {
  EXPECT_EQ(compact("[18446744073709551616, 1.10, 1E400]"), "[18446744073709551616,1.10,1E400]");
}

TEST(JsonLayout, WhatSteersATerminalIsEscaped) {
  EXPECT_EQ(compact("{\"a\x7F\": \"\xC2\x80\xC2\x9F\"}"), "{\"a\\u007f\":\"\\u0080\\u009f\"}");
  EXPECT_EQ(compact("\"\xC2\xA0\xE2\x82\xAC\""), "\"\xC2\xA0\xE2\x82\xAC\"");
}

}  // namespace
}  // namespace trunkline::cli::json
