// SPDX-License-Identifier: MIT
// Tests of trunkline/protobuf.h: the message type of protobuf messages, and status details.
#include <trunkline/protobuf.h>

#include <gtest/gtest.h>

#include <google/protobuf/any.pb.h>

#include <lite.pb.h>
#include <messages.pb.h>
#include <required.pb.h>

namespace trunkline::test {
namespace {

TEST(ProtobufTraits, DescribeTheType) {
  const MessageType& type = MessageTraits<Everything>::type();

  EXPECT_EQ(type.kind, MessageKind::protobuf);
  EXPECT_EQ(*type.type, typeid(Everything));
  EXPECT_EQ(type.default_codec, "protobuf");
  EXPECT_EQ(type.direct_codec, "protobuf");
  EXPECT_EQ(MessageTraits<Light>::type().kind, MessageKind::protobuf);
  EXPECT_EQ(MessageTraits<google::protobuf::Message>::type().kind, MessageKind::protobuf);
}

TEST(ProtobufTraits, GiveTheMessageLiteAsTheObject) {
  Everything message;

  EXPECT_EQ(MutableMessageView::of(message).object, static_cast<google::protobuf::MessageLite*>(&message));
  EXPECT_EQ(MessageView::of(message).object, static_cast<const google::protobuf::MessageLite*>(&message));
}

TEST(ProtobufTraits, WriteAndParseDirectly) {
  const MessageType& type = MessageTraits<Everything>::type();
  Everything message;
  message.set_text("hello");
  message.mutable_inner()->set_count(-3);
  const void* object = MessageTraits<Everything>::address(message);
  std::string payload(type.size(object), '\0');
  Everything parsed;
  parsed.set_ratio(1);

  type.write(object, reinterpret_cast<std::byte*>(payload.data()));

  EXPECT_EQ(payload, message.SerializeAsString());
  EXPECT_TRUE(type.parse(MessageTraits<Everything>::address(parsed), as_bytes(payload)));
  EXPECT_EQ(parsed.SerializeAsString(), payload);
}

TEST(ProtobufTraits, RefuseWhatIsNoMessage) {
  Everything message;
  Strict strict;

  EXPECT_FALSE(
      MessageTraits<Everything>::type().parse(MessageTraits<Everything>::address(message), as_bytes("\x0A\x05xy")));
  EXPECT_FALSE(MessageTraits<Strict>::type().parse(MessageTraits<Strict>::address(strict), {}));
}

TEST(ProtobufTraits, KeepMemoryWhenReused) {
  const MessageType& type = MessageTraits<Everything>::type();
  Everything message;
  message.set_text(std::string(4000, 'x'));
  const std::string payload = message.SerializeAsString();
  Everything reused;
  void* object = MessageTraits<Everything>::address(reused);
  ASSERT_TRUE(type.parse(object, as_bytes(payload)));
  const char* memory = reused.text().data();

  type.clear(object);
  EXPECT_EQ(reused.text(), "");
  ASSERT_TRUE(type.parse(object, as_bytes(payload)));

  EXPECT_EQ(reused.text().size(), 4000U);
  EXPECT_EQ(reused.text().data(), memory);
}

TEST(StatusDetail, PacksAsAnyDoes) {
  Inner inner;
  inner.set_count(7);
  google::protobuf::Any any;
  any.PackFrom(inner);

  const StatusDetail detail = pack_detail(inner);

  EXPECT_EQ(detail.type_url, any.type_url());
  EXPECT_EQ(detail.value, any.value());
}

TEST(StatusDetail, IsFoundByType) {
  Inner inner;
  inner.set_count(7);
  Strict strict;
  strict.set_id(9);
  Status status(StatusCode::not_found, "nothing there");

  add_detail(add_detail(status, inner), strict);

  ASSERT_EQ(status.details().size(), 2U);
  ASSERT_TRUE(find_detail<Strict>(status).has_value());
  EXPECT_EQ(find_detail<Strict>(status)->id(), 9);
  EXPECT_EQ(find_detail<Inner>(status)->count(), 7);
  EXPECT_FALSE(find_detail<Everything>(status).has_value());
  EXPECT_FALSE(find_detail<Inner>(Status::ok()).has_value());
}

TEST(StatusDetail, IsNotUnpackedAsAnotherTypeNorWhenCorrupt) {
  Inner inner;
  Strict strict;

  EXPECT_FALSE(unpack_detail({"type.googleapis.com/trunkline.test.Strict", "\x08\x01"}, inner));
  EXPECT_FALSE(unpack_detail({"trunkline.test.Inner", "\x08\x01"}, inner));
  EXPECT_FALSE(unpack_detail({"type.googleapis.com/trunkline.test.Inner", "\x08"}, inner));
  EXPECT_FALSE(unpack_detail({"type.googleapis.com/trunkline.test.Strict", ""}, strict));
  EXPECT_TRUE(unpack_detail({"example.com/types/trunkline.test.Inner", "\x08\x01"}, inner));
  EXPECT_EQ(inner.count(), 1);
}

}  // namespace
}  // namespace trunkline::test
