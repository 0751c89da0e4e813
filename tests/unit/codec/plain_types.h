// SPDX-License-Identifier: MIT
// Plain types for the tests of messages without a definition.
#pragma once

#include "unit/codec/coding.h"

#include <trunkline/plain.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace trunkline::test {

struct Point {
  double x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};

enum class Color : std::int8_t { red = 1, blue = -2 };

struct Assortment {
  bool flag = false;
  std::int8_t small = 0;
  std::uint16_t middle = 0;
  std::int64_t big = 0;
  std::uint64_t huge = 0;
  float thin = 0;
  double wide = 0;
  std::string name;
  std::vector<std::byte> content;
  std::vector<Point> points;
  std::vector<std::vector<int>> rows;
  std::optional<std::string> maybe;
  std::optional<Point> center;
  std::map<std::string, Point> by_name;
  std::unordered_map<std::string, int> counts;
  std::set<std::string> words;
  std::array<double, 3> axes{};
  Color color = Color::red;
  Value anything;
  std::vector<bool> bits;
  std::vector<Assortment> children;
  bool operator==(const Assortment&) const = default;
};

/// By both codecs.
template <class T>
void expect_round_trip(const T& message) {
  for (const char* name : {"json", "msgpack"}) {
    BufferWriter out;
    ASSERT_TRUE(codec(name).encode(MessageView::of(message), out).is_ok()) << name;
    T back{};
    const Status status = codec(name).decode(out.take(), MutableMessageView::of(back));
    ASSERT_TRUE(status.is_ok()) << name << ": " << status.to_string();
    EXPECT_EQ(back, message) << name;
  }
}

}  // namespace trunkline::test
