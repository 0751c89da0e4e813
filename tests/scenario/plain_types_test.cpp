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

}  // namespace plain_types

TRUNKLINE_FIELDS(plain_types::Account, owner, balance);

namespace plain_types {

class PlainTypes : public ::testing::Test {
 protected:
  PlainTypes() {
    server.handle("length", [](const Point& point) { return point.x * point.x + point.y * point.y; });
    server.handle("same", [](const Drawing& drawing, trunkline::ServerContext&) { return drawing; });
    server.handle("pay", [](const Account& account) -> trunkline::Result<Account> {
      if (account.balance < 0) return trunkline::Status(trunkline::StatusCode::out_of_range, "pay: no money");
      return Account(account.owner, account.balance + 1);
    });
    server.handle("forget", [this](int number) { forgotten = number; });
    server.handle("recall", [this] { return forgotten; });
    server.handle("refuse", [](trunkline::ServerContext&) {
      return trunkline::Status(trunkline::StatusCode::aborted, "refuse: as always");
    });
    server.handle("later", [](int number) -> asio::awaitable<int> { co_return number + 1; });
    server.handle("finally", [this](int number) -> asio::awaitable<void> {
      forgotten = number;
      co_return;
    });
    server.handle("slowly", [](int number) -> trunkline::Blocking<int> { return number + 2; });
    server.handle("fill", [](const int& number, std::string& text, trunkline::ServerContext&) {
      text = std::string(static_cast<std::size_t>(number), 'x');
      return trunkline::Status::ok();
    });
    server.handle("count", [](const std::string& text) { return text.size(); });
    server.handle("narrow", [](std::int8_t number) { return number; });
    server.listen("inproc://plain-types");
    if (trunkline::Status started = server.start(); !started) throw trunkline::StatusError(started);
    channel = std::make_unique<trunkline::Channel>("inproc://plain-types");
  }

  trunkline::Status refusal(const char* method, const trunkline::Value& request, std::string_view codec = "json") {
    return channel->call<trunkline::Value>(method, request, {.timeout = 20s, .codec = codec}).status();
  }

  int forgotten = 0;
  trunkline::Server server;
  std::unique_ptr<trunkline::Channel> channel;
  const trunkline::CallOptions soon{.timeout = 20s};
};

TEST_F(PlainTypes, StructsTravelBothWays) {
  const Drawing drawing{.title = "house",
                        .points = {{1, 2}, {3.5, -4}},
                        .author = "ann",
                        .layers = {{"front", 1}, {"back", -2}},
                        .pens = {1, 255},
                        .scale = {0.5f, 2},
                        .thumbnail = {std::byte{0}, std::byte{255}},
                        .colour = Colour::green,
                        .is_open = true,
                        .parts = {Drawing{.title = "roof"}}};

  for (const char* codec : {"msgpack", "json"}) {
    const auto same = channel->call<Drawing>("same", drawing, {.timeout = 20s, .codec = codec});
    ASSERT_TRUE(same.is_ok()) << codec << ": " << same.status().to_string();
    EXPECT_EQ(*same, drawing) << codec;
  }
}

TEST_F(PlainTypes, EveryFormOfFunctionServes) {
  EXPECT_EQ(channel->call<double>("length", Point{3, 4}, soon).value(), 25);
  EXPECT_EQ(channel->call<Account>("pay", Account("ann", 4), soon).value().balance, 5);
  EXPECT_EQ(channel->call<Account>("pay", Account("ann", -4), soon).status().message(), "pay: no money");
  EXPECT_TRUE(channel->call<trunkline::Empty>("forget", 9, soon).is_ok());
  EXPECT_EQ(channel->call<int>("recall", trunkline::Empty(), soon).value(), 9);
  EXPECT_EQ(channel->call<trunkline::Empty>("refuse", trunkline::Empty(), soon).status().code(),
            trunkline::StatusCode::aborted);
  EXPECT_EQ(channel->call<int>("later", 1, soon).value(), 2);
  EXPECT_TRUE(channel->call<trunkline::Empty>("finally", 11, soon).is_ok());
  EXPECT_EQ(forgotten, 11);
  EXPECT_EQ(channel->call<int>("slowly", 1, soon).value(), 3);
  EXPECT_EQ(channel->call<std::string>("fill", 3, soon).value(), "xxx");
}

TEST_F(PlainTypes, TextsAreTakenAsBytesAndAsTexts) {
  EXPECT_EQ(channel->call<std::size_t>("count", std::string("four"), soon).value(), 4u);
  EXPECT_EQ(channel->call<std::size_t>("count", trunkline::Value("four"), soon).value(), 4u);
  EXPECT_EQ(refusal("count", 7).message(), "call count: decode json: expected a text, not int64");
}

TEST_F(PlainTypes, SaysWhereAndWhyAMessageDoesNotFit) {
  using trunkline::Value;
  const auto point = Value::object({{"x", 1}, {"y", 2}});
  const auto with_points = [&](Value third) {
    Value drawing = trunkline::plain::to_value(Drawing{});
    drawing["points"] = Value::array({point, point, std::move(third)});
    return drawing;
  };

  EXPECT_EQ(refusal("length", Value::object({{"x", 1}})).message(), "call length: decode json: at /y: it is missing");
  EXPECT_EQ(refusal("length", Value::array()).message(), "call length: decode json: expected an object, not array");
  EXPECT_EQ(refusal("same", with_points(Value::object({{"x", "1"}, {"y", 2}}))).message(),
            "call same: decode json: at /points/2/x: expected a number, not string");
  EXPECT_EQ(refusal("same", with_points(Value())).message(),
            "call same: decode json: at /points/2: expected an object, not null");
  EXPECT_EQ(refusal("narrow", 128, "msgpack").message(),
            "call narrow: decode msgpack: the number is not in -128 to 127");
  EXPECT_EQ(refusal("narrow", 1.5).message(), "call narrow: decode json: expected an integer, not float64");
  EXPECT_EQ(refusal("narrow", true).code(), trunkline::StatusCode::invalid_argument);
}

TEST_F(PlainTypes, UnknownFieldsAreSkippedAndOptionalOnesMayBeMissing) {
  using trunkline::Value;
  Value drawing = trunkline::plain::to_value(Drawing{.title = "t", .author = "ann"});
  auto& members = drawing.as_object();
  std::erase_if(members, [](const Value::Member& member) { return member.first == "author"; });
  drawing["unknown"] = 5;

  const auto same = channel->call<Drawing>("same", drawing, {.timeout = 20s, .codec = "json"});

  ASSERT_TRUE(same.is_ok()) << same.status().to_string();
  EXPECT_EQ(same->title, "t");
  EXPECT_EQ(same->author, std::nullopt);
}

TEST_F(PlainTypes, MethodsAreDescribedByTheirTypes) {
  const auto methods = server.methods();
  const auto find = [&](std::string_view name) {
    return *std::find_if(methods.begin(), methods.end(), [&](const auto& method) { return method.name == name; });
  };

  EXPECT_EQ(find("length").request_type, "Point");
  EXPECT_EQ(find("length").response_type, "float64");
  EXPECT_EQ(find("recall").request_type, "");
  EXPECT_EQ(find("narrow").request_type, "int8");
  const trunkline::TypeDescription& drawing = find("same").request->describe();
  ASSERT_EQ(drawing.fields.size(), 10u);
  EXPECT_EQ(drawing.fields[1].name, "points");
  EXPECT_EQ(trunkline::to_string(drawing.fields[1].type()), "list of Point");
  EXPECT_EQ(trunkline::to_string(drawing.fields[2].type()), "optional string");
  EXPECT_EQ(trunkline::to_string(drawing.fields[3].type()), "map to int32");
  EXPECT_EQ(&drawing.fields[9].type().element(), &drawing) << "a structure of itself";
  EXPECT_EQ(find("pay").request->describe().fields.size(), 2u);
}

}  // namespace plain_types
