// SPDX-License-Identifier: MIT
// Tests of MessageEncodings.
#include "session/web/message_encodings.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace trunkline::session::web {
namespace {

class NamedCompressor final : public Compressor {
 public:
  NamedCompressor(std::string name, bool is_unsized) : name_(std::move(name)), is_unsized_(is_unsized) {}
  std::string_view name() const noexcept override { return name_; }
  Status compress(ByteSpan, BufferWriter&) const override { return {}; }
  Status decompress(ByteSpan, MutableByteSpan) const override { return {}; }
  bool has_unsized_form() const noexcept override { return is_unsized_; }

 private:
  const std::string name_;
  const bool is_unsized_;
};

CompressorRegistry registry() {
  CompressorRegistry made;
  made.add(std::make_shared<NamedCompressor>("a", true));
  made.add(std::make_shared<NamedCompressor>("sized", false));
  made.add(std::make_shared<NamedCompressor>("b", true));
  return made;
}

TEST(MessageEncodings, NamesThoseWithAnUnsizedForm) {
  const CompressorRegistry all = registry();

  EXPECT_EQ(MessageEncodings(&all).names(), "identity,a,b");
  EXPECT_EQ(MessageEncodings(nullptr).names(), "identity");
}

TEST(MessageEncodings, FindsThem) {
  const CompressorRegistry all = registry();
  const MessageEncodings encodings(&all);

  EXPECT_EQ(encodings.find("b"), all.find("b"));
  EXPECT_EQ(encodings.find("sized"), nullptr);
  EXPECT_EQ(encodings.find("identity"), nullptr);
  EXPECT_EQ(MessageEncodings(nullptr).find("a"), nullptr);
}

TEST(MessageEncodings, TakesNamesInAnyCaseAndThatOfOldForGzip) {
  CompressorRegistry all = registry();
  all.add(std::make_shared<NamedCompressor>("gzip", true));
  const MessageEncodings encodings(&all);

  EXPECT_EQ(encodings.find("GZIP"), all.find("gzip"));
  EXPECT_EQ(encodings.find("X-Gzip"), all.find("gzip"));
  EXPECT_EQ(encodings.find("Sized"), nullptr);
  EXPECT_TRUE(encodings.contains(encodings.read_list("x-gzip, B"), *all.find("gzip")));
  EXPECT_TRUE(encodings.contains(encodings.read_list("x-gzip, B"), *all.find("b")));
  EXPECT_TRUE(encodings.contains(encodings.read_http_list("Gzip;q=0.5"), *all.find("gzip")));
  EXPECT_FALSE(encodings.contains(encodings.read_http_list("x-gzip;Q=0"), *all.find("gzip")));
}

TEST(MessageEncodings, PrefersTheNameAsItIs) {
  CompressorRegistry all;
  all.add(std::make_shared<NamedCompressor>("gzip", true));
  all.add(std::make_shared<NamedCompressor>("x-gzip", true));

  EXPECT_EQ(MessageEncodings(&all).find("x-gzip"), all.find("x-gzip"));
}

TEST(MessageEncodings, ReadsListsWithSpacesAndUnknownNames) {
  const CompressorRegistry all = registry();
  const MessageEncodings encodings(&all);

  const CompressorSet set = encodings.read_list("identity, b\t,unknown,,sized , ");

  EXPECT_TRUE(encodings.contains(set, *all.find("b")));
  EXPECT_FALSE(encodings.contains(set, *all.find("a")));
  EXPECT_FALSE(encodings.contains(set, *all.find("sized")));
  EXPECT_FALSE(encodings.contains(set, NamedCompressor("b", true)));
  EXPECT_TRUE(encodings.read_list("").empty());
  EXPECT_TRUE(MessageEncodings(nullptr).read_list("a").empty());
}

}  // namespace
}  // namespace trunkline::session::web
