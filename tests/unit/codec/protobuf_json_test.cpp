// SPDX-License-Identifier: MIT
// Tests of the json codec with protobuf messages.
#include <trunkline/protobuf.h>

#include <unit/codec/coding.h>

#include <gtest/gtest.h>

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>

#include <lite.pb.h>
#include <messages.pb.h>
#include <required.pb.h>

namespace trunkline::test {
namespace {

/// What decoding into an Everything answers, without what every such answer begins with.
std::string refusal(std::string_view json) {
  Everything message;
  const std::string text = decode_text("json", json, message);
  constexpr std::string_view start = "invalid_argument: decode json: ";
  return text.starts_with(start) ? text.substr(start.size()) : text;
}

TEST(ProtobufJson, WritesTheCanonicalForm) {
  Everything message;
  message.set_text("a\"b");
  message.set_content("\xFF");
  message.set_big_number(1LL << 60);
  message.add_numbers(1);
  message.add_inners()->set_count(2);

  EXPECT_EQ(
      encoded("json", message),
      R"({"text":"a\"b","content":"/w==","bigNumber":"1152921504606846976","numbers":[1],"inners":[{"count":2}]})");
  EXPECT_EQ(encoded("json", Everything()), "{}");
}

TEST(ProtobufJson, ReadsBothSpellingsOfNames) {
  Everything message;
  message.add_words("old");

  EXPECT_EQ(decode_text("json", R"({"bigNumber":"5","inner":{"count":3},"words":["x"]})", message), "ok");
  EXPECT_EQ(message.big_number(), 5);
  EXPECT_EQ(message.inner().count(), 3);
  EXPECT_EQ(message.words_size(), 1);

  EXPECT_EQ(decode_text("json", R"({"big_number":6})", message), "ok");
  EXPECT_EQ(message.big_number(), 6);
  EXPECT_FALSE(message.has_inner());
}

TEST(ProtobufJson, NamesUnknownFieldsBeyondTheNodesOfAValue) {
  const CodecRegistry registry = CodecRegistry::with_defaults({.max_value_nodes = 2});
  Everything message;

  const Status status = registry.find("json")->decode(Slice::copy_of(R"({"numbers":[1,2],"nmae":1})"),
                                                      MutableMessageView::of<Everything>(message));

  EXPECT_EQ(status.to_string(), "invalid_argument: decode json: unknown field nmae in trunkline.test.Everything");
}

TEST(ProtobufJson, NamesUnknownFields) {
  EXPECT_EQ(refusal(R"({"nmae":1})"), "unknown field nmae in trunkline.test.Everything");
  EXPECT_EQ(refusal(R"({"inner":{"cuont":1}})"), "unknown field inner.cuont in trunkline.test.Everything");
  EXPECT_EQ(refusal(R"({"inners":[{},{"x":1}]})"), "unknown field inners[1].x in trunkline.test.Everything");
}

TEST(ProtobufJson, CutsAndCleansHostileNames) {
  EXPECT_EQ(refusal("{\"" + std::string(1000, 'n') + "\":1}"),
            "unknown field " + std::string(64, 'n') + "... in trunkline.test.Everything");
  EXPECT_EQ(refusal(R"({"a\nb":1})"), "unknown field a?b in trunkline.test.Everything");
}

TEST(ProtobufJson, NamesFieldsWhoseValueDoesNotFitWithoutShowingIt) {
  EXPECT_EQ(refusal(R"({"numbers":["secret"]})"),
            "field numbers[0] of trunkline.test.Everything: value does not match its type");
  EXPECT_EQ(refusal(R"({"inner":{"count":99999999999}})"),
            "field inner.count of trunkline.test.Everything: value does not match its type");
  EXPECT_EQ(refusal(R"({"content":"%secret%"})"),
            "field content of trunkline.test.Everything: value does not match its type");
  EXPECT_EQ(refusal(R"(["secret"])"), "payload is not a valid trunkline.test.Everything");
}

TEST(ProtobufJson, SaysWhereTheTextIsWrong) {
  EXPECT_EQ(refusal(""), "byte 0 of 0: empty payload");
  EXPECT_EQ(refusal(R"({"text":"secret")"), "byte 16 of 16: syntax error");
  EXPECT_EQ(refusal(R"({"text" "secret"})"), "byte 16 of 17: syntax error");
  EXPECT_EQ(refusal(R"({}x)"), "byte 3 of 3: syntax error");
  EXPECT_EQ(refusal("{\"text\":\"\xFF\"}"), "byte 10 of 12: syntax error");
}

TEST(ProtobufJson, RefusesEveryTruncation) {
  const std::string whole = R"({"text":"x","inners":[{"count":1}],"nested":{"ratio":1.5}})";
  ASSERT_EQ(refusal(whole), "ok");

  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(refusal(whole.substr(0, size)), "ok") << size;
  }
}

TEST(ProtobufJson, RefusesDeepNesting) {
  std::string json;
  for (int i = 0; i < 1000; ++i) json += "{\"nested\":";
  json += "{}" + std::string(1000, '}');

  EXPECT_EQ(refusal(json), "nesting exceeds 100 levels");
}

TEST(ProtobufJson, RefusesMissingRequiredFieldsBothWays) {
  Strict message;
  message.set_note("n");

  EXPECT_EQ(encoded("json", message), "! internal: encode json: trunkline.test.Strict: missing required fields: id");
  EXPECT_EQ(decode("json", R"({"note":"n"})", message).code(), StatusCode::invalid_argument);
  EXPECT_EQ(decode_text("json", R"({"id":4})", message), "ok");
  EXPECT_EQ(message.id(), 4);
}

TEST(ProtobufJson, RefusesLiteMessages) {
  Light light;

  EXPECT_EQ(encoded("json", light),
            "! internal: encode json: trunkline.test.Light is a lite message, which has no JSON form");
  EXPECT_EQ(decode("json", "{}", light).code(), StatusCode::internal);
}

TEST(ProtobufJson, UsesTheTypesOfADynamicMessagesOwnPool) {
  google::protobuf::FileDescriptorProto file;
  file.set_name("own.proto");
  file.set_package("own");
  file.set_syntax("proto3");
  auto* type = file.add_message_type();
  type->set_name("Thing");
  auto* field = type->add_field();
  field->set_name("size");
  field->set_number(1);
  field->set_type(google::protobuf::FieldDescriptorProto::TYPE_INT32);
  field->set_label(google::protobuf::FieldDescriptorProto::LABEL_OPTIONAL);
  google::protobuf::DescriptorPool pool;
  const auto* built = pool.BuildFile(file);
  ASSERT_NE(built, nullptr);
  google::protobuf::DynamicMessageFactory factory;
  const std::unique_ptr<google::protobuf::Message> thing(factory.GetPrototype(built->message_type(0))->New());

  EXPECT_EQ(decode_text("json", R"({"size":12})", *thing), "ok");

  EXPECT_EQ(encoded("json", *thing), R"({"size":12})");
}

}  // namespace
}  // namespace trunkline::test
