// SPDX-License-Identifier: MIT
// Tests of the message types of Empty, Slice, std::string and Value.
#include <trunkline/message.h>
#include <trunkline/value.h>

#include <gtest/gtest.h>

namespace trunkline {
namespace {

TEST(MessageTraits, TellKindsApart) {
  EXPECT_EQ(MessageTraits<Empty>::type().kind, MessageKind::none);
  EXPECT_EQ(MessageTraits<Slice>::type().kind, MessageKind::bytes);
  EXPECT_EQ(MessageTraits<std::string>::type().kind, MessageKind::bytes);
  EXPECT_EQ(MessageTraits<Value>::type().kind, MessageKind::value);
}

TEST(MessageTraits, NameDefaultCodecs) {
  EXPECT_EQ(MessageTraits<Empty>::type().default_codec, "");
  EXPECT_EQ(MessageTraits<Slice>::type().default_codec, "bytes");
  EXPECT_EQ(MessageTraits<std::string>::type().default_codec, "bytes");
  EXPECT_EQ(MessageTraits<Value>::type().default_codec, "json");
}

TEST(MessageTraits, HaveAllOfTheDirectFormOrNothing) {
  for (const MessageType* type : {&MessageTraits<Empty>::type(), &MessageTraits<Slice>::type(),
                                  &MessageTraits<std::string>::type(), &MessageTraits<Value>::type()}) {
    const bool direct = !type->direct_codec.empty();
    EXPECT_EQ(type->size != nullptr, direct);
    EXPECT_EQ(type->write != nullptr, direct);
    EXPECT_EQ(type->parse != nullptr, direct);
    EXPECT_NE(type->clear, nullptr);
  }
}

TEST(MessageTraits, StringsHaveADirectForm) {
  const MessageType& type = MessageTraits<std::string>::type();
  std::string text = "hello";
  std::string copy(type.size(&text), '\0');
  std::string parsed = "something else";

  type.write(&text, reinterpret_cast<std::byte*>(copy.data()));

  EXPECT_EQ(copy, "hello");
  EXPECT_TRUE(type.parse(&parsed, as_bytes(copy)));
  EXPECT_EQ(parsed, "hello");
  EXPECT_TRUE(type.parse(&parsed, {}));
  EXPECT_EQ(parsed, "");
}

TEST(MessageTraits, ClearingAStringKeepsItsMemory) {
  std::string text(1000, 'x');
  const std::size_t capacity = text.capacity();

  MessageTraits<std::string>::type().clear(&text);

  EXPECT_TRUE(text.empty());
  EXPECT_EQ(text.capacity(), capacity);
}

TEST(MessageTraits, ClearingASliceDropsItsBlock) {
  Slice slice = Slice::copy_of("x");

  MessageTraits<Slice>::type().clear(&slice);

  EXPECT_EQ(slice.block(), nullptr);
}

TEST(MessageView, GivesTheObjectOnlyAsItsOwnType) {
  std::string text = "x";
  Slice slice;

  EXPECT_EQ(MessageView::of(text).as<std::string>(), &text);
  EXPECT_EQ(MessageView::of(text).as<Slice>(), nullptr);
  EXPECT_EQ(MutableMessageView::of(slice).as<Slice>(), &slice);
  EXPECT_EQ(MutableMessageView::of(slice).as<std::string>(), nullptr);
}

}  // namespace
}  // namespace trunkline
