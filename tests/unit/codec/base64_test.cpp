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

std::string encode_unpadded(std::string_view content) {
  BufferWriter out;
  append_unpadded_base64(as_bytes(content), out);
  return std::string(as_text(out.bytes()));
}

std::string decode_any(std::string_view text) {
  BufferWriter out;
  out.append("before:");
  if (append_decoded_base64(text, out)) return std::string(as_text(out.bytes().subspan(7)));
  EXPECT_EQ(out.size(), 7u);
  return "refused";
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

TEST(Base64, IsReadWithAndWithoutPadding) {
  const std::string_view content = "foobar";
  for (std::size_t size = 0; size <= content.size(); ++size) {
    const std::string padded = encode(content.substr(0, size));
    const std::string unpadded = encode_unpadded(content.substr(0, size));

    EXPECT_EQ(unpadded, padded.substr(0, padded.find('=')));
    EXPECT_EQ(decode_any(padded), content.substr(0, size));
    EXPECT_EQ(decode_any(unpadded), content.substr(0, size));
  }
  for (const char* text : {"Z", "Zg=", "Zg===", "=", "==", "====", "Z===", "Zm9v=", "Zm9-", "Zg==Zg==", "Zh", "A"}) {
    EXPECT_EQ(decode_any(text), "refused") << text;
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
