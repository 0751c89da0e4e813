// SPDX-License-Identifier: MIT
// Tests of the protobuf codec.
#include <trunkline/protobuf.h>
#include <trunkline/value.h>

#include <unit/codec/coding.h>

#include <gtest/gtest.h>

#include <google/protobuf/dynamic_message.h>

#include <lite.pb.h>
#include <messages.pb.h>
#include <required.pb.h>

namespace trunkline::test {
namespace {

Everything sample() {
  Everything message;
  message.set_text("text");
  message.set_content(std::string("\0\xFF", 2));
  message.set_big_number(-1);
  message.set_ratio(0.5);
  message.add_numbers(300);
  message.add_words("w");
  message.mutable_inner()->set_count(1);
  message.add_inners()->set_count(2);
  message.mutable_nested()->set_text("deeper");
  return message;
}

TEST(ProtobufCodec, SupportsEveryMessageOfProtobuf) {
  EXPECT_TRUE(codec("protobuf").supports(MessageTraits<Everything>::type()));
  EXPECT_TRUE(codec("protobuf").supports(MessageTraits<Light>::type()));
  EXPECT_TRUE(codec("protobuf").supports(MessageTraits<Empty>::type()));
  EXPECT_FALSE(codec("protobuf").supports(MessageTraits<Value>::type()));
  EXPECT_FALSE(codec("protobuf").supports(MessageTraits<Slice>::type()));
}

TEST(ProtobufCodec, RoundTrips) {
  const Everything message = sample();
  Everything back;
  back.add_words("old");

  const std::string payload = encoded("protobuf", message);

  EXPECT_EQ(payload, message.SerializeAsString());
  EXPECT_EQ(decode_text("protobuf", payload, back), "ok");
  EXPECT_EQ(back.SerializeAsString(), payload);
}

TEST(ProtobufCodec, CarriesLiteAndDynamicMessages) {
  Light light;
  light.set_weight(5);
  Light light_back;
  google::protobuf::DynamicMessageFactory factory;
  const std::unique_ptr<google::protobuf::Message> dynamic(factory.GetPrototype(Everything::descriptor())->New());
  const std::string payload = sample().SerializeAsString();

  EXPECT_EQ(decode_text("protobuf", encoded("protobuf", light), light_back), "ok");
  EXPECT_EQ(decode_text("protobuf", payload, *dynamic), "ok");

  EXPECT_EQ(light_back.weight(), 5);
  EXPECT_EQ(encoded("protobuf", *dynamic), payload);
}

TEST(ProtobufCodec, AnEmptyPayloadIsTheDefaultMessage) {
  Everything message = sample();

  EXPECT_EQ(decode_text("protobuf", "", message), "ok");

  EXPECT_EQ(message.ByteSizeLong(), 0U);
  EXPECT_EQ(encoded("protobuf", message), "");
}

TEST(ProtobufCodec, RefusesCutFields) {
  const std::string whole = sample().SerializeAsString();
  std::size_t refused = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Everything message;
    const Status status = decode("protobuf", std::string_view(whole).substr(0, size), message);
    if (!status.is_ok()) {
      ++refused;
      EXPECT_EQ(status.message(),
                "decode protobuf: " + std::to_string(size) + " bytes are not a trunkline.test.Everything");
    } else {
      EXPECT_EQ(message.ByteSizeLong(), size);
    }
  }
  EXPECT_GT(refused, whole.size() / 2);
}

TEST(ProtobufCodec, RefusesMissingRequiredFieldsBothWays) {
  Strict message;
  message.set_note("n");

  EXPECT_EQ(encoded("protobuf", message),
            "! internal: encode protobuf: trunkline.test.Strict: missing required fields: id");
  EXPECT_EQ(decode_text("protobuf", message.SerializePartialAsString(), message),
            "invalid_argument: decode protobuf: trunkline.test.Strict: missing required fields: id");
}

TEST(ProtobufCodec, RefusesDeepNesting) {
  Everything message;
  Everything* inner = &message;
  for (int i = 0; i < 200; ++i) inner = inner->mutable_nested();
  Everything back;

  EXPECT_EQ(decode("protobuf", encoded("protobuf", message), back).code(), StatusCode::invalid_argument);
}

TEST(ProtobufCodec, ReadsAnyMessageWhereNoneIsExpected) {
  Empty message;

  EXPECT_EQ(decode_text("protobuf", sample().SerializeAsString(), message), "ok");
  EXPECT_EQ(decode_text("protobuf", "\x0A\x05", message),
            "invalid_argument: decode protobuf: 2 bytes are not a google.protobuf.Empty");
}

TEST(ProtobufCodec, RefusesOtherMessages) {
  Value value;

  EXPECT_TRUE(encoded("protobuf", value).starts_with("! internal: encode protobuf: does not support value messages"));
  EXPECT_EQ(decode("protobuf", "", value).code(), StatusCode::internal);
}

}  // namespace
}  // namespace trunkline::test
