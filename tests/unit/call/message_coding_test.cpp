// SPDX-License-Identifier: MIT
// Codecs by name, direct forms, and the errors of messages that cannot be encoded or decoded.
#include "call/message_coding.h"

#include <trunkline/value.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string_view>

namespace trunkline::call {

namespace {

using ::testing::HasSubstr;

struct Opaque {
  static constexpr std::string_view trunkline_codec = "";
};

class MessageCoding : public ::testing::Test {
 protected:
  template <class T>
  Result<const Codec*> choose(std::string_view name) const {
    return choose_codec(codecs, name, MessageTraits<T>::type());
  }
  const CodecRegistry codecs = CodecRegistry::with_defaults();
  const CompressorRegistry compressors = CompressorRegistry::with_defaults();
  const Codec* bytes = codecs.find("bytes");
};

TEST_F(MessageCoding, ChoosesTheDefaultOrTheNamed) {
  EXPECT_EQ((*choose<std::string>(""))->name(), "bytes");
  EXPECT_EQ((*choose<Value>(""))->name(), "json");
  EXPECT_EQ((*choose<Value>("msgpack"))->name(), "msgpack");
  EXPECT_EQ(*choose<Empty>("json"), nullptr);
}

TEST_F(MessageCoding, RefusesWhatItCannotChoose) {
  EXPECT_THAT(std::string(choose<Value>("morse").status().message()),
              HasSubstr("codec 'morse' is not in the registry"));
  EXPECT_THAT(std::string(choose<Opaque>("").status().message()), HasSubstr("name one in CallOptions::codec"));
  EXPECT_THAT(std::string(choose<Opaque>("json").status().message()), HasSubstr("does not know the message's type"));
  EXPECT_EQ(choose<Opaque>("").status().code(), StatusCode::invalid_argument);
}

TEST_F(MessageCoding, ChoosesCompressors) {
  EXPECT_EQ((*choose_compressor(compressors, "snappy"))->name(), "snappy");
  EXPECT_EQ(*choose_compressor(compressors, "identity"), nullptr);
  EXPECT_EQ(*choose_compressor(compressors, ""), nullptr);
  EXPECT_EQ(choose_compressor(compressors, "squeeze").status().code(), StatusCode::invalid_argument);
}

TEST_F(MessageCoding, RoundTripsDirectAndByCodec) {
  const std::string text = "hello";
  const Value value = Value::object({{"n", 1}});
  Slice direct;
  Slice coded;
  std::string text_back;
  Value value_back;

  ASSERT_TRUE(encode_message(bytes, MessageView::of(text), direct).is_ok());
  ASSERT_TRUE(encode_message(codecs.find("json"), MessageView::of(value), coded).is_ok());
  ASSERT_TRUE(decode_message(bytes, direct, MutableMessageView::of(text_back)).is_ok());
  ASSERT_TRUE(decode_message(codecs.find("json"), coded, MutableMessageView::of(value_back)).is_ok());

  EXPECT_EQ(direct.text(), "hello");
  EXPECT_EQ(text_back, text);
  EXPECT_EQ(value_back, value);
}

TEST_F(MessageCoding, EmptyMessagesHaveNoBytes) {
  Slice out = Slice::from_static("old");
  Empty empty;

  EXPECT_TRUE(encode_message(nullptr, MessageView::of(empty), out).is_ok());
  EXPECT_TRUE(out.empty());
  EXPECT_TRUE(decode_message(bytes, Slice::from_static("anything"), MutableMessageView::of(empty)).is_ok());
}

TEST_F(MessageCoding, AMessageThatMayBeMissingIsTheDefaultOne) {
  MessageType type = MessageTraits<std::string>::type();
  type.may_be_missing = true;
  std::string text = "before";

  EXPECT_EQ(decode_message(nullptr, {}, MutableMessageView{&type, &text}), Status());
  EXPECT_EQ(text, "");
}

TEST_F(MessageCoding, SaysWhyAMessageCannotBeDecoded) {
  std::string text;
  Value value;
  Opaque opaque;

  EXPECT_EQ(decode_message(nullptr, {}, MutableMessageView::of(text)).code(), StatusCode::unimplemented);
  EXPECT_EQ(decode_message(bytes, {}, MutableMessageView::of(opaque)).code(), StatusCode::unimplemented);
  EXPECT_EQ(decode_message(codecs.find("json"), Slice::from_static("{"), MutableMessageView::of(value)).code(),
            StatusCode::invalid_argument);
}

class Thrower final : public Codec {
 public:
  std::string_view name() const noexcept override { return "thrower"; }
  bool supports(const MessageType&) const noexcept override { return true; }
  Status encode(MessageView, BufferWriter&) const override { throw std::runtime_error("no"); }
  Status decode(const Slice&, MutableMessageView) const override { throw 7; }
};

TEST_F(MessageCoding, AnExceptionOfACodecIsAStatus) {
  const Thrower thrower;
  Opaque opaque;
  Slice out = Slice::from_static("old");
  session::Event event;
  event.codec = &thrower;

  const Status encoded = encode_message(&thrower, MessageView::of(opaque), out);
  const Status decoded = decode_message(&thrower, {}, MutableMessageView::of(opaque));
  const Status of_event = decode_message(event, MutableMessageView::of(opaque));

  EXPECT_EQ(encoded, Status(StatusCode::internal, "encode message: the codec threw an exception: no"));
  EXPECT_TRUE(out.empty());
  const Status expected(StatusCode::internal, "decode message: the codec threw an exception: an unknown exception");
  EXPECT_EQ(decoded, expected);
  EXPECT_EQ(of_event, expected);
}

}  // namespace

}  // namespace trunkline::call
