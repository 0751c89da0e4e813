// SPDX-License-Identifier: MIT
// Values out of a stream of text, however it is cut.
#include "cli/json/json_sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace trunkline::cli::json {
namespace {

using testing::ElementsAre;

std::vector<std::string> take_all(JsonSequence& sequence) {
  std::vector<std::string> values;
  while (auto value = sequence.next()) values.push_back(value->text);
  return values;
}

std::vector<std::string> split(std::string_view text, std::size_t step) {
  JsonSequence sequence;
  std::vector<std::string> values;
  for (std::size_t at = 0; at < text.size(); at += step) {
    sequence.append(text.substr(at, step));
    for (std::string& value : take_all(sequence)) values.push_back(std::move(value));
  }
  sequence.finish();
  for (std::string& value : take_all(sequence)) values.push_back(std::move(value));
  return values;
}

TEST(JsonSequence, GivesOutValueAfterValueHoweverTheTextIsCut) {
  const std::string text = " {\"a\": [1, {\"}\": \"\\\"]\"}]}[1,2]\n\"x \\\" y\"12 true\n-1.5e3{}\"\"null";

  for (std::size_t step = 1; step <= text.size(); ++step) {
    EXPECT_THAT(split(text, step), ElementsAre("{\"a\": [1, {\"}\": \"\\\"]\"}]}", "[1,2]", "\"x \\\" y\"", "12",
                                               "true", "-1.5e3", "{}", "\"\"", "null"))
        << step;
  }
}

TEST(JsonSequence, AValueComesAsSoonAsItIsComplete) {
  JsonSequence sequence;

  sequence.append("{\"a\":\n 1}{\"b\"");

  EXPECT_THAT(take_all(sequence), ElementsAre("{\"a\":\n 1}"));
  EXPECT_EQ(sequence.buffered_bytes(), 4u);
}

TEST(JsonSequence, ANumberIsCompleteAtTheSpaceBehindIt) {
  JsonSequence sequence;

  sequence.append("12");
  EXPECT_FALSE(sequence.next().has_value());
  sequence.append("3\n");

  EXPECT_THAT(take_all(sequence), ElementsAre("123"));
}

TEST(JsonSequence, KnowsWhereAValueBegan) {
  JsonSequence sequence;
  sequence.append("{\n}\n\n  7 [");
  sequence.finish();

  EXPECT_EQ(sequence.next()->line, 1u);
  const JsonText second = *sequence.next();
  EXPECT_EQ(second.line, 4u);
  EXPECT_EQ(second.column, 3u);
  EXPECT_EQ(sequence.next()->column, 5u);
}

TEST(JsonSequence, WhatCannotBeJsonIsGivenOutAsItIs) {
  EXPECT_THAT(split("} x", 1), ElementsAre("}", "x"));
  EXPECT_THAT(split("{\"a\": ", 1), ElementsAre("{\"a\": "));
  EXPECT_THAT(split(" \n\t ", 1), ElementsAre());
}

}  // namespace
}  // namespace trunkline::cli::json
