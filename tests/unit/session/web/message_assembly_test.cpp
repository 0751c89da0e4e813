// SPDX-License-Identifier: MIT
// Messages with their prefixes, however their bytes are split.
#include "session/web/message_assembly.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::session::web {
namespace {

TEST(MessagePrefix, IsAFlagAndALengthInNetworkOrder) {
  std::array<std::byte, message_prefix_bytes> bytes{};

  write_message_prefix({.flags = compressed_flag, .length = 0x01020304}, bytes.data());

  EXPECT_EQ(as_text(ByteSpan(bytes)), std::string_view("\1\1\2\3\4"));
}

TEST(MessageAssembly, ReadsAPrefixInPartsOfEverySize) {
  std::array<std::byte, message_prefix_bytes> bytes{};
  write_message_prefix({.flags = compressed_flag, .length = 0xFEDCBA98}, bytes.data());
  for (std::size_t part = 1; part <= message_prefix_bytes; ++part) {
    MessageAssembly assembly;
    EXPECT_FALSE(assembly.is_amid_message());

    for (ByteSpan rest = bytes; !rest.empty();) {
      ByteSpan data = rest.first(std::min(part, rest.size()));
      rest = rest.subspan(data.size());
      EXPECT_EQ(assembly.read_prefix(data), rest.empty()) << part;
      EXPECT_TRUE(data.empty());
      EXPECT_TRUE(assembly.is_amid_message());
    }

    EXPECT_EQ(assembly.flag(), 1u);
    EXPECT_EQ(assembly.length(), 0xFEDCBA98u);
  }
}

TEST(MessageAssembly, LeavesWhatFollowsThePrefix) {
  const std::string bytes("\0\0\0\0\2ab\0", 8);
  MessageAssembly assembly;
  ByteSpan data = as_bytes(bytes);

  ASSERT_TRUE(assembly.read_prefix(data));
  EXPECT_EQ(data.size(), 3u);
  assembly.begin();
  assembly.add(data.first(2));

  EXPECT_EQ(assembly.missing(), 0u);
  EXPECT_EQ(as_text(assembly.take().bytes()), "ab");
  EXPECT_FALSE(assembly.is_amid_message());
}

}  // namespace
}  // namespace trunkline::session::web
