// SPDX-License-Identifier: MIT
// The values of gRPC's header fields.
#include "session/grpc/field_values.h"

#include <gtest/gtest.h>

namespace trunkline::session::grpc {
namespace {

using namespace std::chrono_literals;

TEST(Timeout, HasAUnit) {
  EXPECT_EQ(read_timeout("1H"), 1h);
  EXPECT_EQ(read_timeout("2M"), 2min);
  EXPECT_EQ(read_timeout("3S"), 3s);
  EXPECT_EQ(read_timeout("4m"), 4ms);
  EXPECT_EQ(read_timeout("5u"), 5us);
  EXPECT_EQ(read_timeout("99999999n"), 99999999ns);
  EXPECT_EQ(read_timeout("99999999H"), base::Duration::max());
}

TEST(Timeout, IsRefusedIfItIsAnythingElse) {
  for (const std::string_view text : {"", "S", "1", "1s", "-1S", "+1S", "1.5S", " 1S", "1S ", "100000000S", "1x"}) {
    EXPECT_EQ(read_timeout(text), std::nullopt) << text;
  }
}

TEST(PercentEncoding, KeepsPrintableAscii) {
  EXPECT_EQ(percent_encode("a b~!"), "a b~!");
  EXPECT_EQ(percent_encode("100 %\n\xc3\xa9"), "100 %25%0A%C3%A9");
}

TEST(PercentEncoding, IsReadBack) {
  EXPECT_EQ(percent_decode("100 %25%0a%C3%A9"), "100 %\n\xc3\xa9");
  EXPECT_EQ(percent_decode("%"), "%");
  EXPECT_EQ(percent_decode("%4"), "%4");
  EXPECT_EQ(percent_decode("%zz%41"), "%zzA");
  EXPECT_EQ(percent_decode("a%41"), "aA");
}

TEST(BinaryValue, NeedsNoPadding) {
  EXPECT_EQ(write_binary(std::string_view("\x00\xff,", 3)), "AP8s");
  EXPECT_EQ(write_binary("a"), "YQ");
  EXPECT_EQ(read_binary("YQ"), "a");
  EXPECT_EQ(read_binary("YQ=="), "a");
  EXPECT_EQ(read_binary(""), "");
  EXPECT_EQ(read_binary("Y"), std::nullopt);
  EXPECT_EQ(read_binary("Y*=="), std::nullopt);
}

TEST(StatusDetails, AreAProtobufMessage) {
  Status status(StatusCode::not_found, "no");
  status.add_detail("t/x", std::string("\0v", 2));

  EXPECT_EQ(encode_details(status), std::string("\x08\x05\x12\x02no\x1a\x09\x0a\x03t/x\x12\x02\0v", 17));
}

}  // namespace
}  // namespace trunkline::session::grpc
