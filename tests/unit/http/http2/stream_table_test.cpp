// SPDX-License-Identifier: MIT
// StreamTable and Streams: which streams there are, who owns them, and which ids have been used.
#include "http/http2/stream_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace trunkline::http::http2 {
namespace {

/// A stream that counts how many of its kind there are.
struct CountedStream : Stream {
  CountedStream(std::uint32_t stream_id, int& count) : Stream(stream_id, 65535, 65535), alive(count) { ++alive; }
  ~CountedStream() { --alive; }
  CountedStream(const CountedStream&) = delete;
  CountedStream& operator=(const CountedStream&) = delete;

  int& alive;
};

using Table = Streams<CountedStream>;

std::vector<std::uint32_t> ids_by_age(const Table& streams) {
  std::vector<std::uint32_t> ids;
  for (const CountedStream* stream : streams.by_age()) ids.push_back(stream->id);
  return ids;
}

TEST(StreamTable, FindsAnUnlistedStreamAndListsIt) {
  int alive = 0;
  Table streams;
  CountedStream& stream = streams.open_unlisted(1, alive);
  EXPECT_EQ(streams.unlisted(), &stream);
  EXPECT_EQ(streams.find(1), &stream);
  EXPECT_EQ(streams.size(), 1u);
  EXPECT_TRUE(streams.by_age().empty());

  streams.list();
  EXPECT_EQ(streams.unlisted(), nullptr);
  EXPECT_EQ(streams.find(1), &stream);
  EXPECT_EQ(streams.size(), 1u);
  EXPECT_EQ(ids_by_age(streams), std::vector<std::uint32_t>{1});
}

TEST(StreamTable, ForgetsUnlistedStreamsAndOthers) {
  int alive = 0;
  Table streams;
  CountedStream& kept = streams.add(1, alive);
  CountedStream& unlisted = streams.open_unlisted(3, alive);
  EXPECT_EQ(alive, 2);

  streams.forget(unlisted);
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(streams.unlisted(), nullptr);
  EXPECT_EQ(streams.find(3), nullptr);
  EXPECT_EQ(streams.find(1), &kept);
  streams.forget(kept);
  EXPECT_EQ(alive, 0);
  EXPECT_TRUE(streams.empty());
  EXPECT_EQ(streams.newest(), 3u);
}

TEST(StreamTable, DestroysWhatIsLeft) {
  int alive = 0;
  {
    Table streams;
    streams.add(1, alive);
    streams.add(3, alive);
    streams.open_unlisted(5, alive);
    EXPECT_EQ(alive, 3);
  }
  EXPECT_EQ(alive, 0);
}

TEST(StreamTable, ListsStreamsByAge) {
  int alive = 0;
  Table streams;
  std::vector<std::uint32_t> expected;
  for (std::uint32_t id = 1; id < 400; id += 2) {
    streams.add(id, alive);
    if (id % 6 != 1) expected.push_back(id);
  }
  for (std::uint32_t id = 1; id < 400; id += 6) streams.forget(*streams.find(id));
  EXPECT_EQ(ids_by_age(streams), expected);
}

TEST(StreamTable, KnowsWhichIdsAreIdle) {
  int alive = 0;
  Table streams;
  EXPECT_TRUE(streams.is_idle(1));
  streams.forget(streams.add(5, alive));
  EXPECT_FALSE(streams.is_idle(1));
  EXPECT_FALSE(streams.is_idle(5));
  EXPECT_TRUE(streams.is_idle(7));
  // A server opens no streams.
  EXPECT_TRUE(streams.is_idle(2));

  streams.note_id(9);
  EXPECT_FALSE(streams.is_idle(7));
  EXPECT_FALSE(streams.is_idle(9));
  streams.note_id(3);
  EXPECT_EQ(streams.newest(), 9u);
}

TEST(StreamTable, RemembersResetsUntilThePeerHasResetAsWell) {
  Table streams;
  streams.note_id(11);
  EXPECT_FALSE(streams.may_be_reset(7));
  streams.note_reset(7);
  EXPECT_TRUE(streams.may_be_reset(7));
  EXPECT_FALSE(streams.may_be_reset(5));
  streams.note_peer_reset(5);
  EXPECT_TRUE(streams.may_be_reset(7));
  streams.note_peer_reset(7);
  EXPECT_FALSE(streams.may_be_reset(7));
}

TEST(StreamTable, RemembersTheLaterOfTwoResetsInOnePlace) {
  constexpr std::uint32_t distance = 2 * StreamTable::remembered_streams;
  Table streams;
  streams.note_id(7 + distance);
  streams.note_reset(7 + distance);
  streams.note_reset(7);
  EXPECT_TRUE(streams.may_be_reset(7 + distance));
}

/// Whether older streams were reset is not known, so it is assumed.
TEST(StreamTable, AssumesThatOldStreamsWereReset) {
  constexpr std::uint32_t distance = 2 * StreamTable::remembered_streams;
  Table streams;
  streams.note_id(1 + distance);
  EXPECT_TRUE(streams.may_be_reset(1));
  EXPECT_FALSE(streams.may_be_reset(3));
}

}  // namespace
}  // namespace trunkline::http::http2
