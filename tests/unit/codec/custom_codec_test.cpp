// SPDX-License-Identifier: MIT
// A codec of a user's own, for a type of the user's own.
#include <trunkline/codec.h>

#include <gtest/gtest.h>

#include <charconv>

namespace trunkline {
namespace {

struct Point {
  static constexpr std::string_view trunkline_codec = "point";
  int x = 0;
  int y = 0;
  bool operator==(const Point&) const = default;
};

struct Stranger {
  static constexpr std::string_view trunkline_codec = "";
};

/// "x,y" in decimal.
class PointCodec final : public Codec {
 public:
  std::string_view name() const noexcept override { return "point"; }
  bool supports(const MessageType& type) const noexcept override { return *type.type == typeid(Point); }
  Status encode(MessageView message, BufferWriter& out) const override {
    const auto* point = message.as<Point>();
    if (point == nullptr) return {StatusCode::internal, "encode point: not a Point"};
    out.append(std::to_string(point->x) + "," + std::to_string(point->y));
    return Status::ok();
  }
  Status decode(const Slice& payload, MutableMessageView message) const override {
    auto* point = message.as<Point>();
    if (point == nullptr) return {StatusCode::internal, "decode point: not a Point"};
    const std::string_view text = payload.text();
    const auto first = std::from_chars(text.data(), text.data() + text.size(), point->x);
    if (first.ec != std::errc() || first.ptr == text.data() + text.size() || *first.ptr != ',') {
      return {StatusCode::invalid_argument, "decode point: no comma"};
    }
    const auto second = std::from_chars(first.ptr + 1, text.data() + text.size(), point->y);
    if (second.ec != std::errc()) return {StatusCode::invalid_argument, "decode point: no y"};
    return Status::ok();
  }
};

CodecRegistry registry() { return CodecRegistry::with_defaults().add(std::make_shared<PointCodec>()); }

TEST(CustomCodec, IsNamedByItsType) {
  const MessageType& type = MessageTraits<Point>::type();

  EXPECT_EQ(type.kind, MessageKind::custom);
  EXPECT_EQ(type.default_codec, "point");
  EXPECT_EQ(type.direct_codec, "");
  EXPECT_EQ(type.size, nullptr);
  EXPECT_EQ(MessageTraits<Stranger>::type().default_codec, "");
}

TEST(CustomCodec, CarriesItsType) {
  const CodecRegistry codecs = registry();
  const Codec* codec = codecs.find("point");
  ASSERT_NE(codec, nullptr);
  BufferWriter out;
  Point decoded;

  EXPECT_TRUE(codec->supports(MessageTraits<Point>::type()));
  EXPECT_TRUE(codec->encode(MessageView::of(Point{3, -4}), out).is_ok());
  EXPECT_TRUE(codec->decode(out.take(), MutableMessageView::of(decoded)).is_ok());

  EXPECT_EQ(decoded, (Point{3, -4}));
}

TEST(CustomCodec, IsNotOfferedOtherTypes) {
  const CodecRegistry codecs = registry();
  Stranger stranger;
  BufferWriter out;

  for (const auto& codec : codecs.codecs()) {
    EXPECT_FALSE(codec->supports(MessageTraits<Stranger>::type())) << codec->name();
    EXPECT_EQ(codec->encode(MessageView::of(stranger), out).code(), StatusCode::internal) << codec->name();
    EXPECT_EQ(codec->decode(Slice::from_static("{}"), MutableMessageView::of(stranger)).code(), StatusCode::internal);
    EXPECT_EQ(out.size(), 0U);
  }
}

TEST(CustomCodec, TypeIsClearedByAssignment) {
  Point point{1, 2};

  MessageTraits<Point>::type().clear(MessageTraits<Point>::address(point));

  EXPECT_EQ(point, Point());
}

}  // namespace
}  // namespace trunkline
