// SPDX-License-Identifier: MIT
// Which types are messages as they are, and what is known of their fields.
#include "unit/codec/plain_types.h"

#include <trunkline/type_description.h>

#include <gtest/gtest.h>

#include <list>
#include <memory>
#include <variant>

namespace trunkline::test {

namespace {

struct WithPointer {
  int* pointer;
};
struct WithArray {
  int before;
  int several[3];
  int after;
};
struct Derived : Point {
  double z;
};
struct WithVariant {
  std::variant<int, double> either;
};
struct OfAnother {
  static constexpr std::string_view trunkline_codec = "another";
  int x;
};
struct Nothing {};
struct TooWide {
  int a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25,
      a26, a27, a28, a29, a30, a31, a32, a33;
};
class Closed {
  [[maybe_unused]] int x_ = 0;
};

static_assert(PlainType<bool> && PlainType<int> && PlainType<std::uint64_t> && PlainType<float> && PlainType<double>);
static_assert(PlainType<std::string> && PlainType<std::vector<std::byte>> && PlainType<Slice> && PlainType<Value>);
static_assert(PlainType<Color> && PlainType<Point> && PlainType<Assortment> && PlainType<Range> && PlainType<Wide>);
static_assert(PlainType<Pair<int>> && PlainType<Full> && PlainType<std::list<Point>> && PlainType<std::optional<int>>);
static_assert(PlainType<std::map<std::string, std::vector<Point>>>);
static_assert(!PlainType<char> && !PlainType<wchar_t> && !PlainType<long double> && !PlainType<const char*>);
static_assert(!PlainType<WithPointer> && !PlainType<WithArray> && !PlainType<Derived> && !PlainType<WithVariant>);
static_assert(!PlainType<OfAnother> && !PlainType<Nothing> && !PlainType<TooWide> && !PlainType<Closed>);
static_assert(!PlainType<std::map<int, int>> && !PlainType<std::unique_ptr<int>> && !PlainType<Empty>);

TEST(PlainType, HasTheNamesOfItsFields) {
  EXPECT_EQ(plain::field_names<Point>, (std::array<std::string_view, 2>{"x", "y"}));
  EXPECT_EQ(plain::field_names<Range>, (std::array<std::string_view, 2>{"low_", "high_"}));
  EXPECT_EQ((plain::field_names<Pair<Point>>), (std::array<std::string_view, 2>{"first", "second"}));
  EXPECT_EQ(plain::field_names<Assortment>.size(), 21u);
  EXPECT_EQ(plain::field_names<Assortment>[0], "flag");
  EXPECT_EQ(plain::field_names<Assortment>[20], "children");
  EXPECT_EQ(plain::field_names<Full>[31], "a32");
  EXPECT_EQ(plain::field_names<Wide>[32], "last");
}

TEST(PlainType, HasAName) {
  EXPECT_EQ(plain::type_name<Point>(), "Point");
  EXPECT_EQ(plain::type_name<Closed>(), "Closed");
  EXPECT_TRUE(plain::type_name<Pair<Point>>().starts_with("Pair<")) << plain::type_name<Pair<Point>>();
}

TEST(PlainType, IsDescribed) {
  const TypeDescription& type = MessageTraits<Assortment>::type().describe();

  EXPECT_EQ(type.kind, TypeKind::structure);
  EXPECT_EQ(type.name, "Assortment");
  ASSERT_EQ(type.fields.size(), 21u);
  const auto field = [&](std::size_t index) -> const TypeDescription& { return type.fields[index].type(); };
  EXPECT_EQ(field(0).kind, TypeKind::boolean);
  EXPECT_EQ(field(1).kind, TypeKind::integer);
  EXPECT_EQ(field(1).bits, 8);
  EXPECT_TRUE(field(1).is_signed);
  EXPECT_EQ(field(4).bits, 64);
  EXPECT_FALSE(field(4).is_signed);
  EXPECT_EQ(field(5).kind, TypeKind::floating);
  EXPECT_EQ(field(5).bits, 32);
  EXPECT_EQ(field(7).kind, TypeKind::text);
  EXPECT_EQ(field(8).kind, TypeKind::bytes);
  EXPECT_EQ(field(9).kind, TypeKind::list);
  EXPECT_EQ(field(9).element().name, "Point");
  EXPECT_EQ(field(11).kind, TypeKind::optional);
  EXPECT_EQ(field(13).kind, TypeKind::map);
  EXPECT_EQ(field(16).kind, TypeKind::list);
  EXPECT_EQ(field(17).kind, TypeKind::integer);
  EXPECT_EQ(field(18).kind, TypeKind::any);
  EXPECT_EQ(&field(20).element(), &type);
}

TEST(PlainType, IsAMessageOfMessagePack) {
  const MessageType& type = MessageTraits<Point>::type();

  EXPECT_EQ(type.kind, MessageKind::plain);
  EXPECT_EQ(type.default_codec, "msgpack");
  Point point{1, 2};
  type.clear(&point);
  EXPECT_EQ(point, Point());
}

TEST(PlainType, OtherTypesAreCustomMessages) {
  EXPECT_EQ(MessageTraits<WithPointer>::type().kind, MessageKind::custom);
  EXPECT_EQ(MessageTraits<OfAnother>::type().default_codec, "another");
  EXPECT_EQ(MessageTraits<WithArray>::type().describe, nullptr);
}

TEST(TypeDescription, HasANameForEachKind) {
  EXPECT_EQ(name_of(MessageTraits<Point>::type().describe()), "Point");
  EXPECT_EQ(name_of(MessageTraits<int>::type().describe()), "integer");
  EXPECT_EQ(name_of(MessageTraits<std::vector<Point>>::type().describe()), "list");
  EXPECT_EQ(name_of(MessageTraits<std::optional<int>>::type().describe()), "optional");
}

}  // namespace

}  // namespace trunkline::test
