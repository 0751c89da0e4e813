// SPDX-License-Identifier: MIT
// Methods of plain types, deduced from functions, and their calls.
#include <trunkline/channel.h>
#include <trunkline/plain.h>
#include <trunkline/server.h>

#include <asio/awaitable.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace plain_types {

using namespace std::chrono_literals;

enum class Colour : std::uint8_t { red = 1, green = 2 };

struct Point {
  double x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};

struct Drawing {
  std::string title;
  std::vector<Point> points{};
  std::optional<std::string> author{};
  std::map<std::string, std::int32_t> layers{};
  std::set<std::uint8_t> pens{};
  std::array<float, 2> scale{};
  std::vector<std::byte> thumbnail{};
  Colour colour = Colour::red;
  bool is_open = false;
  std::vector<Drawing> parts{};
  bool operator==(const Drawing&) const = default;
};

class Account {
 public:
  Account() = default;
  Account(std::string owner_name, int initial) : owner(std::move(owner_name)), balance(initial) {}
  std::string owner;
  int balance = 0;

 private:
  [[maybe_unused]] int not_sent_ = 7;
};

template <class T>
struct Page {
  std::vector<T> entries{};
};

TEST(PlainTypeNames, AreWithoutTheirNamespaces) {
  EXPECT_EQ(trunkline::to_string(trunkline::detail::describe<Point>()), "Point");
  EXPECT_EQ(trunkline::to_string(trunkline::detail::describe<Page<Point>>()), "Page<plain_types::Point>");
}

}  // namespace plain_types
