// SPDX-License-Identifier: MIT
// Messages that arrive in chunks.
#include "session/native/message_assembly.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

TEST(MessageAssembly, AssemblesChunks) {
  MessageAssembly assembly;
  assembly.begin({.total = 6, .room = 6, .codec = 3, .compressor = 2});
  for (const std::string_view chunk : {"ab", "", "cdef"}) {
    ASSERT_TRUE(assembly.check_chunk(chunk.size(), chunk == "cdef").is_ok());
    std::memcpy(assembly.position(chunk.size()), chunk.data(), chunk.size());
    assembly.advance(chunk.size());
  }

  EXPECT_EQ(assembly.missing(), 0u);
  EXPECT_EQ(assembly.codec(), 3);
  EXPECT_EQ(assembly.compressor(), 2);
  EXPECT_EQ(assembly.take().text(), "abcdef");
  EXPECT_FALSE(assembly.is_active());
}

TEST(MessageAssembly, OfNothingIsActiveUntilTaken) {
  MessageAssembly assembly;
  assembly.begin({.codec = 1});

  EXPECT_TRUE(assembly.is_active());
  EXPECT_FALSE(assembly.check_chunk(1, false).is_ok());
  EXPECT_TRUE(assembly.check_chunk(0, true).is_ok());
  EXPECT_TRUE(assembly.take().empty());
}

}  // namespace
}  // namespace trunkline::session::native
