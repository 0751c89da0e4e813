// SPDX-License-Identifier: MIT
// Percent-encoded texts and bytes.
#include "session/web/percent_encoding.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::session::web {
namespace {

std::string encode(std::string_view text) {
  BufferWriter out;
  append_percent_encoded(text, out);
  return std::string(as_text(out.bytes()));
}

TEST(PercentEncoding, LeavesPrintableCharactersExceptPercent) {
  EXPECT_EQ(encode(""), "");
  EXPECT_EQ(encode(" plain ~ text\"\\"), " plain ~ text\"\\");
  EXPECT_FALSE(needs_percent_encoding(" plain ~ text"));
}

TEST(PercentEncoding, EncodesPercentControlsAndBytesOf128AndAbove) {
  EXPECT_EQ(encode("100%"), "100%25");
  EXPECT_EQ(encode("\t\r\n\x7F"), "%09%0D%0A%7F");
  EXPECT_EQ(encode("\xE2\x98\xBA"), "%E2%98%BA");
  EXPECT_EQ(encode(std::string_view("\0", 1)), "%00");
  EXPECT_TRUE(needs_percent_encoding("%"));
  EXPECT_TRUE(needs_percent_encoding("\x7F"));
  EXPECT_TRUE(needs_percent_encoding("\x80"));
}

TEST(PercentEncoding, ReadsAByteInEitherCase) {
  EXPECT_EQ(percent_encoded_byte("%e2"), 0xE2);
  EXPECT_EQ(percent_encoded_byte("%bA and more"), 0xBA);
  EXPECT_EQ(percent_encoded_byte("%00"), 0);
}

TEST(PercentEncoding, ReadsNothingWithoutPercentAndTwoDigits) {
  for (const char* text : {"", "%", "%2", "%zz", "%2x", "%x2", "%%4", "255", "\xFF"}) {
    EXPECT_EQ(percent_encoded_byte(text), -1) << text;
  }
}

TEST(PercentEncoding, ReadsBackEveryByte) {
  for (int i = 0; i < 256; ++i) {
    const std::string encoded = encode(std::string(1, static_cast<char>(i)));
    EXPECT_EQ(percent_encoded_byte(encoded), encoded.size() > 1 ? i : -1);
  }
}

std::string decode(std::string_view encoded) {
  BufferWriter out;
  append_percent_decoded(encoded, out);
  return std::string(as_text(out.bytes()));
}

TEST(PercentEncoding, IsDecoded) {
  EXPECT_EQ(decode(""), "");
  EXPECT_EQ(decode("plain text"), "plain text");
  EXPECT_EQ(decode("%E2%98%ba 100%25!"), "\xE2\x98\xBA 100%!");
}

TEST(PercentEncoding, LeavesWhatIsNotEncodedAsItIs) {
  EXPECT_EQ(decode("%"), "%");
  EXPECT_EQ(decode("5% of 10%2"), "5% of 10%2");
  EXPECT_EQ(decode("%zz%41"), "%zzA");
  EXPECT_EQ(decode("%%41"), "%A");
}

}  // namespace
}  // namespace trunkline::session::web
