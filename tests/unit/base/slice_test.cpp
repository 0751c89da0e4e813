// SPDX-License-Identifier: MIT
// Slice and BufferWriter: the lifetime of the bytes, the bounds of slices, and the growth of a writer.
#include <trunkline/slice.h>

#include <new>
#include <string>
#include <utility>

namespace trunkline {
namespace {

TEST(Slice, IsEmptyByDefault) {
  const Slice slice;

  EXPECT_TRUE(slice.empty());
  EXPECT_EQ(slice.size(), 0u);
  EXPECT_EQ(slice.block(), nullptr);
  EXPECT_EQ(slice.text(), "");
}

TEST(Slice, CopyOfHasItsOwnBytes) {
  std::string text = "original";

  const Slice slice = Slice::copy_of(text);
  text = "changed!";

  EXPECT_EQ(slice.text(), "original");
  EXPECT_EQ(slice.to_string(), "original");
  ASSERT_NE(slice.block(), nullptr);
  EXPECT_TRUE(slice.block()->unique());
}

TEST(Slice, CopyOfNothingNeedsNoBlock) { EXPECT_EQ(Slice::copy_of(std::string_view()).block(), nullptr); }

TEST(Slice, FromStaticViewsWithoutABlock) {
  static constexpr std::string_view text = "static";

  const Slice slice = Slice::from_static(text);

  EXPECT_EQ(slice.text().data(), text.data());
  EXPECT_EQ(slice.block(), nullptr);
  EXPECT_EQ(Slice(slice).subslice(1).text(), "tatic");
}

TEST(Slice, FromStringKeepsALongStringInPlace) {
  std::string text(100000, 'x');
  const char* const bytes = text.data();

  Slice slice = Slice::from_string(std::move(text));
  const Slice part = slice.subslice(50000);
  slice = Slice();

  EXPECT_EQ(static_cast<const void*>(part.data()), bytes + 50000);
  EXPECT_EQ(part.text(), std::string(50000, 'x'));
}

TEST(Slice, FromStringOfEverySizeHasItsBytes) {
  for (const std::size_t size : {0, 1, 15, 16, 511, 512, 513, 5000}) {
    const std::string text(size, 's');

    EXPECT_EQ(Slice::from_string(text).text(), text) << size;
  }
}

TEST(Slice, CopiesShareTheBlockAndMovesPassItOn) {
  Slice first = Slice::copy_of("shared");
  Block* const block = first.block();

  {
    const Slice second = first;
    EXPECT_EQ(second.block(), block);
    EXPECT_EQ(second.data(), first.data());
    EXPECT_FALSE(block->unique());
  }
  EXPECT_TRUE(block->unique());

  const Slice third = std::move(first);
  EXPECT_TRUE(block->unique());
  EXPECT_EQ(third.text(), "shared");
  EXPECT_TRUE(first.empty());  // NOLINT: the state after a move is part of the contract
  EXPECT_EQ(first.block(), nullptr);
}

TEST(Slice, AssignmentReleasesTheOldBlock) {
  Slice kept = Slice::copy_of("kept");
  Slice slice = kept;

  slice = Slice::copy_of("other");
  EXPECT_TRUE(kept.block()->unique());
  EXPECT_EQ(slice.text(), "other");

  const Slice& same = slice;
  slice = same;
  EXPECT_EQ(slice.text(), "other");
  EXPECT_TRUE(slice.block()->unique());
}

TEST(Slice, ShareAddsAReference) {
  const Slice whole = Slice::copy_of("0123456789");

  const Slice part = Slice::share(whole.block(), whole.data() + 2, 3);

  EXPECT_EQ(part.text(), "234");
  EXPECT_FALSE(whole.block()->unique());
}

TEST(Slice, SubsliceIsLimitedToTheBytesOfTheSlice) {
  const Slice slice = Slice::copy_of("0123456789");

  EXPECT_EQ(slice.subslice(0).text(), "0123456789");
  EXPECT_EQ(slice.subslice(3).text(), "3456789");
  EXPECT_EQ(slice.subslice(3, 4).text(), "3456");
  EXPECT_EQ(slice.subslice(8, 100).text(), "89");
  EXPECT_EQ(slice.subslice(1, SIZE_MAX).text(), "123456789");
  EXPECT_EQ(slice.subslice(10).text(), "");
  EXPECT_EQ(slice.subslice(SIZE_MAX, SIZE_MAX).text(), "");
  EXPECT_EQ(slice.subslice(2, 0).text(), "");
  EXPECT_EQ(Slice().subslice(0).text(), "");
}

TEST(Slice, EmptySubsliceDoesNotKeepTheBlock) {
  const Slice slice = Slice::copy_of("bytes");

  const Slice nothing = slice.subslice(5);

  EXPECT_EQ(nothing.block(), nullptr);
  EXPECT_TRUE(slice.block()->unique());
}

TEST(Slice, RemovePrefixKeepsTheRest) {
  Slice slice = Slice::copy_of("header body");

  slice.remove_prefix(7);

  EXPECT_EQ(slice.text(), "body");
}

TEST(Slice, ComparesBytes) {
  EXPECT_EQ(Slice::copy_of("same"), Slice::from_static("same"));
  EXPECT_NE(Slice::copy_of("same"), Slice::copy_of("sama"));
  EXPECT_NE(Slice::copy_of("same"), Slice::copy_of("sam"));
  EXPECT_EQ(Slice(), Slice::copy_of("x").subslice(1));
}

TEST(BufferWriter, TakesNoMemoryUntilItIsWritten) {
  BufferWriter writer;

  EXPECT_EQ(writer.size(), 0u);
  EXPECT_TRUE(writer.bytes().empty());
  EXPECT_EQ(writer.take().block(), nullptr);
}

TEST(BufferWriter, KeepsBytesWhileItGrows) {
  BufferWriter writer;
  std::string expected;

  for (int i = 0; i < 20000; ++i) {
    writer.push_back(static_cast<std::byte>(i));
    expected.push_back(static_cast<char>(i));
    if (i % 100 == 0) writer.append("chunk"), expected += "chunk";
  }

  EXPECT_EQ(writer.size(), expected.size());
  EXPECT_EQ(as_text(writer.bytes()), expected);
  EXPECT_EQ(writer.take().text(), expected);
}

TEST(BufferWriter, GrowsGeometrically) {
  BufferWriter writer;
  const std::byte* last = nullptr;
  int moves = 0;

  for (int i = 0; i < 3000000; ++i) {
    writer.push_back(std::byte{1});
    if (writer.bytes().data() != last) ++moves;
    last = writer.bytes().data();
  }

  EXPECT_LE(moves, 20);
}

TEST(BufferWriter, PrepareGivesAtLeastWhatIsAskedFor) {
  BufferWriter writer(100);
  EXPECT_GE(writer.prepare(0).size(), 100u);

  for (const std::size_t size : {1, 63, 64, 65, 4096, 70000}) {
    const MutableByteSpan room = writer.prepare(size);
    ASSERT_GE(room.size(), size);
    std::memset(room.data(), 'p', room.size());
    writer.advance(size);
  }
  EXPECT_EQ(as_text(writer.bytes()), std::string(1 + 63 + 64 + 65 + 4096 + 70000, 'p'));
}

TEST(BufferWriter, TakeLeavesItEmptyAndReady) {
  BufferWriter writer;
  writer.append("first");
  const std::byte* const bytes = writer.bytes().data();

  const Slice first = writer.take();
  EXPECT_EQ(writer.size(), 0u);
  writer.append("second");
  const Slice second = writer.take();

  EXPECT_EQ(first.data(), bytes);
  EXPECT_TRUE(first.block()->unique());
  EXPECT_EQ(first.text(), "first");
  EXPECT_EQ(second.text(), "second");
}

TEST(BufferWriter, ClearKeepsTheMemory) {
  BufferWriter writer;
  writer.append("something");
  const std::byte* const bytes = writer.bytes().data();

  writer.clear();
  writer.append("");
  EXPECT_EQ(writer.size(), 0u);
  writer.append("else");

  EXPECT_EQ(writer.bytes().data(), bytes);
  EXPECT_EQ(as_text(writer.bytes()), "else");
}

TEST(BufferWriter, SharesALargeSliceThatComesFirst) {
  const Slice large = Slice::copy_of(std::string(100'000, 'x'));
  BufferWriter writer;

  writer.append(large);
  EXPECT_EQ(writer.bytes().data(), large.data());
  const Slice taken = writer.take();
  EXPECT_EQ(taken.data(), large.data());
  EXPECT_FALSE(large.block()->unique());
  writer.append("next");

  EXPECT_EQ(writer.take().text(), "next");
  EXPECT_EQ(large.text(), std::string(100'000, 'x'));
}

TEST(BufferWriter, NeverWritesToASharedSlice) {
  const Slice large = Slice::copy_of(std::string(100'000, 'x'));
  BufferWriter writer;

  writer.append(large);
  writer.append("more");
  EXPECT_EQ(as_text(writer.bytes()), std::string(100'000, 'x') + "more");
  writer.clear();
  writer.append(large);
  writer.truncate(10);
  writer.append("yy");
  EXPECT_EQ(as_text(writer.bytes()), std::string(10, 'x') + "yy");
  writer.clear();
  writer.append(large);
  writer.clear();
  EXPECT_TRUE(writer.take().empty());
  writer.append("z");

  EXPECT_EQ(as_text(writer.bytes()), "z");
  EXPECT_EQ(large.text(), std::string(100'000, 'x'));
  EXPECT_TRUE(large.block()->unique());
}

TEST(BufferWriter, CopiesSlicesThatAreSmallOrLaterOrWasteful) {
  const Slice large = Slice::copy_of(std::string(100'000, 'x'));
  const Slice small = Slice::copy_of("small");
  const Slice part = large.subslice(0, 5'000);
  BufferWriter writer;

  writer.append(small);
  EXPECT_NE(writer.bytes().data(), small.data());
  writer.append(large);
  EXPECT_EQ(as_text(writer.bytes()), "small" + std::string(100'000, 'x'));
  BufferWriter other;
  other.append(part);
  EXPECT_NE(other.bytes().data(), part.data());
  EXPECT_EQ(as_text(other.bytes()), part.text());
  other.append(Slice::from_static("!"));

  EXPECT_EQ(other.size(), 5'001u);
  EXPECT_TRUE(small.block()->unique());
}

TEST(BufferWriter, ThrowsForMoreThanASizeCanCount) {
  BufferWriter writer;
  writer.append("some");

  EXPECT_THROW(writer.prepare(SIZE_MAX), std::bad_alloc);
  EXPECT_THROW(writer.prepare(SIZE_MAX - 4), std::bad_alloc);
  EXPECT_EQ(as_text(writer.bytes()), "some");
}

}  // namespace
}  // namespace trunkline
