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

/// The prefix of a message of `length` bytes has come.
GrpcStream& begin_message(ReceiveMemory& memory, StreamTable& streams, CallId id, std::uint32_t length,
                          bool is_request = false) {
  GrpcStream& stream = streams.add(id, 65535u, 65535u, nullptr, nullptr);
  std::array<std::byte, web::message_prefix_bytes> prefix{};
  web::write_message_prefix({.length = length}, prefix.data());
  ByteSpan data(prefix);
  EXPECT_TRUE(stream.assembly.read_prefix(data));
  memory.begin(stream, is_request, start);
  return stream;
}

TEST(ReceiveMemory, KeepsNoPlacesOfStreamsThatWaitNoLonger) {
  ConnectionLimits limits;
  limits.max_unread_bytes = 1 << 20;
  OutputQueue output;
  StreamTable streams;
  ReceiveWindows windows(Role::server, limits, output);
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
  OutputQueue output;
  StreamTable streams;
  ReceiveWindows windows{Role::server, limits, output};
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
