// SPDX-License-Identifier: MIT
// Tests of base64.
#include <codec/base64.h>

#include <gtest/gtest.h>

#include <string>

namespace trunkline::codec {
namespace {

std::string encode(std::string_view content) {
  BufferWriter out;
  append_base64(as_bytes(content), out);
  return std::string(as_text(out.bytes()));
}

std::string decode(std::string_view text) {
  const auto content = decode_base64(text);
  return content ? std::string(as_text(*content)) : "refused";
}

// RFC 4648, section 10.
TEST(Base64, MatchesTheVectorsOfTheRfcBothWays) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [content, text] : vectors) {
    EXPECT_EQ(encode(content), text);
    EXPECT_EQ(decode(text), content);
  }
}

TEST(Base64, KeepsEveryByteValue) {
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));

  EXPECT_EQ(decode(encode(all)), all);
}

TEST(Base64, RefusesWhatIsNotPaddedBase64) {
  for (const char* text :
       {"Zg", "Zg=", "Zg===", "=", "====", "Z===", "Zm9v=", "Zm9-", "Zm_v", "Zm 9", "Zg==Zg==", "Z=g=", "Zm9\n"}) {
    EXPECT_EQ(decode(text), "refused") << text;
  }
}

TEST(Base64, RefusesStrayBitsInTheLastGroup) {
  EXPECT_EQ(decode("Zh=="), "refused");
  EXPECT_EQ(decode("Zm9="), "refused");
}

}  // namespace
}  // namespace trunkline::codec
