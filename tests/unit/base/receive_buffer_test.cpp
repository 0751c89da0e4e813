// SPDX-License-Identifier: MIT
// Input: reads of every size, bodies received in place, and blocks that outlive the buffer.
#include "base/receive_buffer.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace trunkline::base {
namespace {

std::size_t feed(ReceiveBuffer& buffer, std::string_view& bytes, std::size_t most = static_cast<std::size_t>(-1)) {
  std::array<MutableByteSpan, 2> room;
  const std::size_t count = buffer.prepare(room);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = std::min({room[i].size(), bytes.size(), most - taken});
    std::memcpy(room[i].data(), bytes.data(), size);
    bytes.remove_prefix(size);
    taken += size;
    if (size < room[i].size()) break;
  }
  buffer.commit(taken);
  return taken;
}

std::string_view text_of(const ReceiveBuffer& buffer) { return as_text({buffer.data(), buffer.size()}); }

TEST(ReceiveBuffer, OffersAnEntireReadBuffer) {
  ReceiveBuffer buffer(4096);
  std::array<MutableByteSpan, 2> room;

  ASSERT_EQ(buffer.prepare(room), 1u);
  EXPECT_GE(room[0].size(), 4096u);
}

TEST(ReceiveBuffer, UnbufferedAsksOnlyForWhatIsNeeded) {
  ReceiveBuffer buffer(0);
  std::array<MutableByteSpan, 2> room;
  buffer.need(16);

  buffer.prepare(room);
  const std::size_t first = room[0].size();
  buffer.commit(5);
  buffer.prepare(room);

  EXPECT_EQ(first, 16u);
  EXPECT_EQ(room[0].size(), 11u);
}

TEST(ReceiveBuffer, KeepsAnIncompletePartWhileReading) {
  for (const std::size_t read : {0u, 1u, 100u, 65536u}) {
    ReceiveBuffer buffer(read);
    std::string all;
    for (int i = 0; i < 3000; ++i) all += static_cast<char>('a' + i % 26);
    std::string_view rest = all;
    buffer.need(all.size());

    while (!rest.empty()) feed(buffer, rest, 77);

    EXPECT_EQ(text_of(buffer), all) << read;
  }
}

/// Bytes that arrive one by one while nothing is consumed.
TEST(ReceiveBuffer, UnbufferedRarelyCopiesItsBytes) {
  ReceiveBuffer buffer(0);
  const std::string all(60000, 'x');
  std::string_view rest = all;
  int moves = 0;
  const std::byte* place = nullptr;

  while (!rest.empty()) {
    feed(buffer, rest, 1);
    moves += buffer.data() != place ? 1 : 0;
    place = buffer.data();
  }

  EXPECT_EQ(text_of(buffer), all);
  EXPECT_LT(moves, 60);
}

TEST(ReceiveBuffer, PutsABodyAtItsDestination) {
  ReceiveBuffer buffer(4096);
  std::string_view first = "abcdefgh";
  feed(buffer, first);
  std::string target(12, '.');

  buffer.consume(3);
  buffer.expect_body(reinterpret_cast<std::byte*>(target.data()), 12);
  std::string_view second = "ijklmno+next";
  feed(buffer, second);

  EXPECT_EQ(target, "defghijklmno");
  EXPECT_EQ(buffer.body_missing(), 0u);
  EXPECT_EQ(text_of(buffer), "+next");
}

TEST(ReceiveBuffer, CopiesABufferedBodyAtOnce) {
  ReceiveBuffer buffer(4096);
  std::string_view bytes = "abcdef";
  feed(buffer, bytes);
  std::string target(4, '.');

  buffer.expect_body(reinterpret_cast<std::byte*>(target.data()), 4);

  EXPECT_EQ(target, "abcd");
  EXPECT_EQ(buffer.body_missing(), 0u);
  EXPECT_EQ(text_of(buffer), "ef");
}

TEST(ReceiveBuffer, UnbufferedReadsNothingBeyondABody) {
  ReceiveBuffer buffer(0);
  std::string target(4, '.');
  buffer.expect_body(reinterpret_cast<std::byte*>(target.data()), 4);
  std::array<MutableByteSpan, 2> room;

  ASSERT_EQ(buffer.prepare(room), 1u);
  EXPECT_EQ(room[0].size(), 4u);
}

/// What one prepare() offers for a body of `size` bytes of which none has arrived.
std::array<std::size_t, 2> room_beside_body(std::size_t size) {
  ReceiveBuffer buffer(4096);
  std::string target(size, '.');
  buffer.expect_body(reinterpret_cast<std::byte*>(target.data()), size);
  std::array<MutableByteSpan, 2> room;
  return buffer.prepare(room) == 2 ? std::array{room[0].size(), room[1].size()} : std::array<std::size_t, 2>{};
}

TEST(ReceiveBuffer, ReadsWhatFollowsABodyTogetherWithItsRest) {
  EXPECT_EQ(room_beside_body(1000), (std::array<std::size_t, 2>{1000, 3096}));
  EXPECT_EQ(room_beside_body(3583), (std::array<std::size_t, 2>{3583, 513}));
  EXPECT_EQ(room_beside_body(3584), (std::array<std::size_t, 2>{3584, 512}));
  EXPECT_EQ(room_beside_body(100000), (std::array<std::size_t, 2>{100000, 512}));
}

TEST(ReceiveBuffer, DoesNotOverwriteBytesThatAreRetained) {
  ReceiveBuffer buffer(128);
  std::string_view first = "kept";
  feed(buffer, first);
  const Slice kept = Slice::share(buffer.block(), buffer.data(), 4);

  buffer.consume(4);
  for (int i = 0; i < 100; ++i) {
    std::string_view more = "overwritten";
    feed(buffer, more);
    buffer.consume(11);
  }

  EXPECT_EQ(kept.text(), "kept");
}

TEST(ReceiveBuffer, HasNoMemoryWhileEmpty) {
  ReceiveBuffer buffer(4096);
  std::string_view bytes = "abc";
  feed(buffer, bytes);

  buffer.release_unused();
  const bool while_used = buffer.block() != nullptr;
  buffer.consume(3);
  buffer.release_unused();

  EXPECT_TRUE(while_used);
  EXPECT_EQ(buffer.block(), nullptr);
}

TEST(ReceiveBuffer, KeepsAShortRestInAShortBlock) {
  ReceiveBuffer buffer(65536);
  std::string_view bytes = "consumed, and the rest";
  feed(buffer, bytes);
  buffer.consume(9);

  buffer.release_unused();
  const std::size_t capacity = buffer.block()->capacity();
  std::string_view more = " of it";
  feed(buffer, more);

  EXPECT_LE(capacity, 64u);
  EXPECT_EQ(text_of(buffer), " and the rest of it");
}

TEST(ReceiveBuffer, LeavesARestThatFillsItsBlock) {
  ReceiveBuffer buffer(4096);
  const std::string text(3000, 'x');
  std::string_view bytes = text;
  feed(buffer, bytes);
  Block* const before = buffer.block();

  buffer.release_unused();

  EXPECT_EQ(buffer.block(), before);
  EXPECT_EQ(text_of(buffer), text);
}

}  // namespace
}  // namespace trunkline::base
