// SPDX-License-Identifier: MIT
// Content types of gRPC, and of what is not gRPC.
#include "session/web/content_type.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::session::web {
namespace {

class NamedCodec final : public Codec {
 public:
  explicit NamedCodec(std::string name) : name_(std::move(name)) {}
  std::string_view name() const noexcept override { return name_; }
  bool supports(const MessageType&) const noexcept override { return false; }
  Status encode(MessageView, BufferWriter&) const override { return {StatusCode::internal, "encode"}; }
  Status decode(const Slice&, MutableMessageView) const override { return {StatusCode::internal, "decode"}; }

 private:
  std::string name_;
};

std::string written(std::string_view codec, Format format = Format::grpc) {
  BufferWriter out;
  append_content_type(format, NamedCodec(std::string(codec)), out);
  return std::string(as_text(out.bytes()));
}

TEST(ContentType, NamesTheCodecBehindPlus) {
  EXPECT_EQ(subtype_of_content_type("application/grpc"), "proto");
  EXPECT_EQ(subtype_of_content_type("application/grpc+proto"), "proto");
  EXPECT_EQ(subtype_of_content_type("application/grpc+json"), "json");
  EXPECT_EQ(subtype_of_content_type("application/grpc+my.codec"), "my.codec");
}

TEST(ContentType, MayHaveParametersAndAnyCase) {
  EXPECT_EQ(subtype_of_content_type("application/grpc;charset=utf-8"), "proto");
  EXPECT_EQ(subtype_of_content_type("Application/GRPC+JSON ; charset=\"utf-8\""), "JSON");
}

TEST(ContentType, IsNotGrpc) {
  for (const char* text : {"", "application", "application/json", "application/grpc-web", "application/grpc-web+proto",
                           "application/grpcx", "application/grpc+", "application/grpc+;a=b", "application/grpc+a b",
                           "application/grpc+a/b", "text/application/grpc", " application/grpc"}) {
    EXPECT_EQ(subtype_of_content_type(text), std::nullopt) << text;
  }
}

TEST(ContentType, FindsTheCodecInAnyCase) {
  CodecRegistry codecs;
  codecs.add(std::make_shared<NamedCodec>("protobuf")).add(std::make_shared<NamedCodec>("json"));

  EXPECT_EQ(find_codec("proto", codecs), codecs.find("protobuf"));
  EXPECT_EQ(find_codec("Proto", codecs), codecs.find("protobuf"));
  EXPECT_EQ(find_codec("JSON", codecs), codecs.find("json"));
  EXPECT_EQ(find_codec("msgpack", codecs), nullptr);
  EXPECT_EQ(find_codec("", codecs), nullptr);
}

TEST(ContentType, IsWrittenWithTheNameOfTheCodec) {
  EXPECT_EQ(written("protobuf"), "application/grpc+proto");
  EXPECT_EQ(written("json"), "application/grpc+json");
}

TEST(ContentType, CallsBytesByTheirUsualNameInPlainHttp) {
  EXPECT_EQ(written("bytes", Format::plain), "application/octet-stream");
  EXPECT_EQ(written("json", Format::plain), "application/json");
  EXPECT_EQ(written("bytes", Format::connect_unary), "application/bytes");
}

}  // namespace
}  // namespace trunkline::session::web
