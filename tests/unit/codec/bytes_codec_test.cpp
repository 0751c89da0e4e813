// SPDX-License-Identifier: MIT
// Tests of the bytes codec.
#include <trunkline/value.h>

#include <unit/codec/coding.h>

#include <gtest/gtest.h>

#include <string_view>

namespace trunkline::test {
namespace {

struct Other {
  static constexpr std::string_view trunkline_codec = "other";
};

TEST(BytesCodec, SupportsBytesAndNothingElse) {
  EXPECT_TRUE(codec("bytes").supports(MessageTraits<Slice>::type()));
  EXPECT_TRUE(codec("bytes").supports(MessageTraits<std::string>::type()));
  EXPECT_TRUE(codec("bytes").supports(MessageTraits<Empty>::type()));
  EXPECT_FALSE(codec("bytes").supports(MessageTraits<Value>::type()));
  EXPECT_FALSE(codec("bytes").supports(MessageTraits<Other>::type()));
}

TEST(BytesCodec, HandsPayloadsThrough) {
  const std::string content("a\0b\xFF", 4);
  std::string text = "old";
  Slice slice = Slice::from_static("old");

  EXPECT_TRUE(decode("bytes", content, text).is_ok());
  EXPECT_TRUE(decode("bytes", content, slice).is_ok());

  EXPECT_EQ(text, content);
  EXPECT_EQ(slice.text(), content);
  EXPECT_EQ(encoded("bytes", text), content);
  EXPECT_EQ(encoded("bytes", slice), content);
}

TEST(BytesCodec, AppendsToWhatIsThere) {
  BufferWriter out;
  out.append("head ");

  EXPECT_TRUE(codec("bytes").encode(MessageView::of(std::string("tail")), out).is_ok());

  EXPECT_EQ(as_text(out.bytes()), "head tail");
}

TEST(BytesCodec, SharesTheBlockOfALargeSlice) {
  const Slice payload = Slice::copy_of(std::string(8192, 'x'));
  Slice kept;

  EXPECT_TRUE(codec("bytes").decode(payload, MutableMessageView::of(kept)).is_ok());

  EXPECT_EQ(kept.data(), payload.data());
  EXPECT_EQ(kept.block(), payload.block());
}

TEST(BytesCodec, CopiesASliceMuchSmallerThanItsBlock) {
  const Slice whole = Slice::copy_of(std::string(8192, 'x'));
  const Slice payload = whole.subslice(100, 64);
  Slice kept;

  EXPECT_TRUE(codec("bytes").decode(payload, MutableMessageView::of(kept)).is_ok());

  EXPECT_EQ(kept, payload);
  EXPECT_NE(kept.block(), payload.block());
}

TEST(BytesCodec, KeepsNoBlockForAnEmptyPayload) {
  const Slice whole = Slice::copy_of(std::string(8192, 'x'));
  Slice kept = whole;

  EXPECT_TRUE(codec("bytes").decode(whole.subslice(100, 0), MutableMessageView::of(kept)).is_ok());

  EXPECT_TRUE(kept.empty());
  EXPECT_EQ(kept.block(), nullptr);
}

TEST(BytesCodec, RefusesOtherMessagesWithoutWriting) {
  Value value = 1;
  BufferWriter out;

  const Status encoding = codec("bytes").encode(MessageView::of(value), out);
  const Status decoding = decode("bytes", "x", value);

  EXPECT_EQ(encoding.code(), StatusCode::internal);
  EXPECT_TRUE(encoding.message().starts_with("encode bytes: does not support value messages")) << encoding.message();
  EXPECT_EQ(out.size(), 0U);
  EXPECT_EQ(decoding.code(), StatusCode::internal);
}

TEST(EmptyMessage, CostsNoBytesInAnyCodec) {
  for (const auto& each : CodecRegistry::with_defaults().codecs()) {
    Empty message;
    EXPECT_EQ(encoded(each->name(), message), "") << each->name();
    EXPECT_EQ(decode_text(each->name(), "", message), "ok") << each->name();
  }
}

TEST(EmptyMessage, IsRefusedWhereThereIsContent) {
  Empty message;

  EXPECT_EQ(decode_text("bytes", "abc", message),
            "invalid_argument: decode bytes: 3 bytes where no message is expected");
  EXPECT_EQ(decode_text("json", "{\"a\":1}", message),
            "invalid_argument: decode json: content where no message is expected");
  EXPECT_EQ(decode_text("msgpack", "\x01", message),
            "invalid_argument: decode msgpack: content where no message is expected");
  EXPECT_EQ(decode_text("json", "{}", message), "ok");
  EXPECT_EQ(decode_text("json", "null", message), "ok");
  EXPECT_EQ(decode_text("msgpack", "\x80", message), "ok");
}

}  // namespace
}  // namespace trunkline::test
