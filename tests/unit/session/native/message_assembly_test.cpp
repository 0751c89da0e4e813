// SPDX-License-Identifier: MIT
// Messages that arrive in chunks.
#include "session/native/message_assembly.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

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

/// Adds `bytes` of `text`, in chunks.
void add(MessageAssembly& assembly, std::string_view text, std::size_t bytes, std::size_t chunk) {
  for (const std::size_t end = assembly.filled() + bytes; assembly.filled() < end;) {
    const std::string_view part = text.substr(assembly.filled(), std::min(chunk, end - assembly.filled()));
    std::memcpy(assembly.position(part.size()), part.data(), part.size());
    assembly.advance(part.size());
  }
}

std::string varied(std::size_t size) {
  std::string text(size, 0);
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + (i ^ i >> 8) % 26);
  return text;
}

TEST(MessageAssembly, JoinsWhatCameBeforeThereWasRoom) {
  const std::string text = varied(300'000);
  for (const std::size_t chunk : {std::size_t{997}, std::size_t{30'000}, std::size_t{150'000}}) {
    for (const std::size_t early : {std::size_t{0}, std::size_t{16}, std::size_t{150'000}}) {
      MessageAssembly assembly;
      assembly.begin_waiting({.total = text.size(), .room = text.size()});
      add(assembly, text, early, chunk);
      assembly.admit();
      EXPECT_FALSE(assembly.is_waiting());
      add(assembly, text, text.size() - early, chunk);

      ASSERT_EQ(assembly.take().text(), text);
    }
  }
}

TEST(MessageAssembly, MayBecomeWholeWithoutRoom) {
  const std::string text = varied(100'000);
  MessageAssembly assembly;
  assembly.begin_waiting({.total = text.size(), .room = text.size()});
  add(assembly, text, text.size() - 10, 4000);
  assembly.end_waiting();
  add(assembly, text, 10, 10);

  EXPECT_FALSE(assembly.is_admitted());
  EXPECT_EQ(assembly.take().text(), text);
  EXPECT_FALSE(assembly.is_active());
}

#if defined(__GLIBC__)
TEST(MessageAssembly, ThatWaitsTakesLittleMoreThanHasCome) {
  const auto bytes_in_use = [] {
    const struct mallinfo2 usage = mallinfo2();
    return usage.uordblks + usage.hblkhd;
  };
  constexpr std::size_t size = 600'000;
  const std::string text = varied(size);
  const std::size_t before = bytes_in_use();

  MessageAssembly assembly;
  assembly.begin_waiting({.total = 4 * size, .room = 4 * size});
  add(assembly, text, size, 30'000);

  EXPECT_LE(bytes_in_use() - before, size + size / 4);
}
#endif

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
