// SPDX-License-Identifier: MIT
// ReceiveMemory: what it keeps of streams that wait no longer.
#include "session/grpc/receive_memory.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace trunkline::session::grpc {
namespace {

constexpr base::TimePoint start{std::chrono::hours(1)};

void begin_prefix(GrpcStream& stream, std::uint32_t length) {
  std::array<std::byte, web::message_prefix_bytes> prefix{};
  web::write_message_prefix({.length = length}, prefix.data());
  ByteSpan data(prefix);
  EXPECT_TRUE(stream.assembly.read_prefix(data));
}

/// The prefix of a message of `length` bytes has come.
GrpcStream& begin_message(ReceiveMemory& memory, http::http2::Streams<GrpcStream>& streams, CallId id,
                          std::uint32_t length, bool is_request = false) {
  GrpcStream& stream = streams.add(id, 65535u, 65535u, nullptr, nullptr);
  begin_prefix(stream, length);
  memory.begin(stream, is_request, start);
  return stream;
}

TEST(ReceiveMemory, KeepsNoPlacesOfStreamsThatWaitNoLonger) {
  ConnectionLimits limits;
  limits.max_unread_bytes = 1 << 20;
  base::OutputQueue output;
  http::http2::Streams<GrpcStream> streams;
  http::http2::ReceiveWindows windows(http::http2::Sender::server, limits, output);
  MemoryShare share(nullptr);
  ReceiveMemory memory(limits, share, streams, windows);
  GrpcStream& admitted = begin_message(memory, streams, 1, 1 << 20);
  GrpcStream& waiting = begin_message(memory, streams, 3, 1 << 19);
  ASSERT_TRUE(admitted.is_admitted);
  ASSERT_FALSE(waiting.is_admitted);

  for (CallId id = 5; id < 20005; id += 2) {
    GrpcStream& stream = begin_message(memory, streams, id, 1 << 19);
    memory.end(stream);
    streams.forget(stream);
    EXPECT_FALSE(memory.admit_waiting(start));
  }

  EXPECT_LE(memory.places(), 100u);
  memory.end(admitted);
  EXPECT_TRUE(memory.admit_waiting(start));
  EXPECT_TRUE(waiting.is_admitted);
  memory.end(waiting);
}

TEST(ReceiveMemory, HasRoomForOneMessageWhateverIsUnread) {
  ConnectionLimits limits;
  limits.max_unread_bytes = 1 << 20;
  base::OutputQueue output;
  http::http2::Streams<GrpcStream> streams;
  http::http2::ReceiveWindows windows(http::http2::Sender::server, limits, output);
  MemoryShare share(nullptr);
  ReceiveMemory memory(limits, share, streams, windows);
  memory.keep(1 << 20);

  GrpcStream& first = begin_message(memory, streams, 1, 1 << 20);
  GrpcStream& second = begin_message(memory, streams, 3, 1 << 20, true);
  EXPECT_TRUE(first.is_admitted);
  EXPECT_FALSE(second.is_admitted);
  EXPECT_FALSE(memory.admit_waiting(start));
  memory.end(first);
  streams.forget(first);

  EXPECT_TRUE(memory.admit_waiting(start));
  EXPECT_TRUE(second.is_admitted);
  memory.end(second);
}

TEST(ReceiveMemory, LetsAMessageBehindAnUnreadOneWaitForThatAlone) {
  ConnectionLimits limits;
  limits.max_unread_bytes = 1 << 20;
  base::OutputQueue output;
  http::http2::Streams<GrpcStream> streams;
  http::http2::ReceiveWindows windows(http::http2::Sender::server, limits, output);
  MemoryShare share(nullptr);
  ReceiveMemory memory(limits, share, streams, windows);
  GrpcStream& unread = streams.add(1, 65535u, 65535u, nullptr, nullptr);
  unread.debt = 1 << 20;
  memory.keep(1 << 20);
  const std::uint32_t window = windows.left();

  begin_prefix(unread, 1 << 20);
  memory.begin(unread, false, start);
  EXPECT_FALSE(unread.is_admitted);
  EXPECT_FALSE(memory.has_waiting()) << "it waits for its own reader, and nobody has to look";
  // It costs nothing of the connection's window, however much comes.
  const std::uint32_t come = limits.connection_credit_bytes;
  ASSERT_TRUE(windows.charge(come));
  memory.add(unread, come);
  EXPECT_GE(windows.left(), window);
  EXPECT_FALSE(windows.is_used_up_by_waiting());

  GrpcStream& other = begin_message(memory, streams, 3, 1 << 20);
  EXPECT_TRUE(other.is_admitted) << "nothing waits for it";
  memory.end(other);

  memory.unblock(unread);
  EXPECT_FALSE(memory.has_waiting());
  unread.debt = 0;
  memory.unblock(unread);
  EXPECT_TRUE(memory.has_waiting());
  EXPECT_TRUE(memory.admit_waiting(start));
  EXPECT_TRUE(unread.is_admitted);
  memory.end(unread);
  EXPECT_GE(windows.left(), window);
}

TEST(ReceiveMemory, ForgetsAMessageThatWaitedBehindAnUnreadOne) {
  ConnectionLimits limits;
  limits.max_unread_bytes = 1 << 20;
  base::OutputQueue output;
  http::http2::Streams<GrpcStream> streams;
  http::http2::ReceiveWindows windows(http::http2::Sender::server, limits, output);
  MemoryShare share(nullptr);
  ReceiveMemory memory(limits, share, streams, windows);
  GrpcStream& unread = streams.add(1, 65535u, 65535u, nullptr, nullptr);
  unread.debt = 1 << 20;
  memory.keep(1 << 20);
  begin_prefix(unread, 1 << 20);
  memory.begin(unread, false, start);

  memory.end(unread);
  streams.forget(unread);

  EXPECT_EQ(memory.waiting_bytes(), 0u);
  GrpcStream& next = begin_message(memory, streams, 3, 2 << 20);
  GrpcStream& waits = begin_message(memory, streams, 5, 1 << 20);
  EXPECT_TRUE(next.is_admitted);
  EXPECT_TRUE(memory.has_waiting());
  memory.end(next);
  memory.end(waits);
  EXPECT_FALSE(memory.has_waiting());
}

/// Of a budget of 16 MiB, of which others keep some.
class ReceiveMemoryOfRequests : public testing::Test {
 protected:
  static constexpr std::uint32_t mib = 1 << 20;

  ~ReceiveMemoryOfRequests() override {
    for (const CallId id : ids) {
      memory.end(*streams.find(id));
      streams.forget(*streams.find(id));
    }
    budget.subtract(others);
  }
  GrpcStream& begin(std::uint32_t length, bool is_request) {
    ids.push_back(2 * static_cast<CallId>(ids.size()) + 1);
    return begin_message(memory, streams, ids.back(), length, is_request);
  }
  void take(std::size_t bytes) {
    others += bytes;
    budget.add(bytes);
  }

  ConnectionLimits limits;
  base::OutputQueue output;
  http::http2::Streams<GrpcStream> streams;
  http::http2::ReceiveWindows windows{http::http2::Sender::server, limits, output};
  MemoryBudget budget{16 * mib, 1};
  MemoryShare share{&budget};
  ReceiveMemory memory{limits, share, streams, windows};
  std::vector<CallId> ids;
  std::size_t others = 0;
};

TEST_F(ReceiveMemoryOfRequests, WaitAtThreeEighthsWhereOtherMessagesPass) {
  take(5 * mib);

  GrpcStream& first = begin(mib, true);
  GrpcStream& second = begin(mib, true);
  GrpcStream& other = begin(mib, false);

  EXPECT_TRUE(first.is_admitted);
  EXPECT_FALSE(second.is_admitted);
  EXPECT_TRUE(other.is_admitted);
  EXPECT_FALSE(memory.admit_waiting(start + std::chrono::milliseconds(999)));
}

TEST_F(ReceiveMemoryOfRequests, GetMoreRoomTheLongerTheyHaveWaited) {
  take(6 * mib);
  GrpcStream& first = begin(mib, true);
  GrpcStream& second = begin(4 * mib, true);
  GrpcStream& third = begin(mib, true);
  ASSERT_FALSE(first.is_admitted);

  EXPECT_FALSE(memory.admit_waiting(start + ReceiveMemory::late));
  EXPECT_TRUE(first.is_admitted);
  EXPECT_FALSE(second.is_admitted || third.is_admitted);
  EXPECT_TRUE(memory.admit_waiting(start + ReceiveMemory::too_late));
  EXPECT_TRUE(second.is_admitted && third.is_admitted);
}

TEST_F(ReceiveMemoryOfRequests, AreNotKeptWaitingByWhatHasComeOfThem) {
  take(6 * mib);
  GrpcStream& first = begin(2 * mib, true);
  GrpcStream& second = begin(2 * mib, true);
  memory.add(first, mib);
  memory.add(second, mib);
  share.update(memory.bytes(), memory.room(), memory.waiting_bytes());
  ASSERT_FALSE(memory.admit_waiting(start));

  budget.subtract(2 * mib);
  others -= 2 * mib;

  EXPECT_FALSE(memory.admit_waiting(start));
  EXPECT_TRUE(first.is_admitted);
  EXPECT_FALSE(second.is_admitted);
}

}  // namespace
}  // namespace trunkline::session::grpc
