// SPDX-License-Identifier: MIT
// The sum of unfinished and unread messages.
#include "session/native/receive_memory.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

TEST(ReceiveMemory, HasRoomForMetadataUpToTheLimitWhateverIsUnread) {
  ConnectionLimits limits;
  limits.max_unread_bytes = 100;
  MemoryShare share(nullptr);
  ReceiveMemory memory(limits, share);

  memory.retain_metadata(60);
  memory.retain(100);

  EXPECT_TRUE(memory.has_room_for_metadata(40));
  EXPECT_FALSE(memory.has_room_for_metadata(41));
  memory.release_metadata(60);
  EXPECT_TRUE(memory.has_room_for_metadata(100));
  memory.release(100);
  EXPECT_EQ(memory.retained(), 0u);
}

TEST(ReceiveMemory, HasRoomForOneUnfinishedMessageWhateverIsUnread) {
  ConnectionLimits limits;
  limits.max_unread_bytes = 100;
  MemoryShare share(nullptr);
  ReceiveMemory memory(limits, share);
  memory.retain(100);

  EXPECT_TRUE(memory.try_retain_message(100));
  EXPECT_FALSE(memory.try_retain_message(1));
  memory.release_message(100, 0);
  memory.retain(100);
  EXPECT_TRUE(memory.try_retain_message(100, MessageUse::request));
  memory.release_message(100, 0);
  EXPECT_EQ(memory.retained(), 200u);
}

TEST(ReceiveMemory, HasNoFurtherRoomForRequestsThatWouldWaitForTheirTurn) {
  ConnectionLimits limits;
  limits.max_unread_bytes = 100;
  MemoryShare share(nullptr);
  ReceiveMemory memory(limits, share);
  memory.retain(100);
  memory.queue(100);

  EXPECT_FALSE(memory.try_retain_message(1, MessageUse::request));
  EXPECT_TRUE(memory.try_retain_message(1)) << "the call whose turn it is may go on";
  memory.release_message(1, 0);
  memory.unqueue(100);
  EXPECT_TRUE(memory.try_retain_message(1, MessageUse::request));
}

TEST(ReceiveMemory, HasRoomForOneMessageBesideMetadata) {
  ConnectionLimits limits;
  limits.max_unread_bytes = 100;
  MemoryShare share(nullptr);
  ReceiveMemory memory(limits, share);
  memory.retain_metadata(60);

  EXPECT_TRUE(memory.try_retain_message(100));
  EXPECT_FALSE(memory.try_retain_message(1));
  EXPECT_EQ(memory.shortage(), MemoryShare::Shortage::nothing);
  memory.release_message(100, 100);
  EXPECT_FALSE(memory.try_retain_message(101));
}

TEST(ReceiveMemory, TakesTheRoomOfMessagesFromTheBudget) {
  MemoryBudget budget(1000, 100);
  MemoryShare share(&budget);
  const ConnectionLimits limits;
  ReceiveMemory memory(limits, share);
  MemoryShare other(&budget);
  other.try_take(700);

  EXPECT_TRUE(memory.try_retain_message(100)) << "from the reserve";
  EXPECT_FALSE(memory.try_retain_message(1));
  EXPECT_EQ(memory.shortage(), MemoryShare::Shortage::budget);
  memory.release_message(100, 100);
  share.update(0);
  EXPECT_TRUE(memory.try_retain_message(50));
  EXPECT_EQ(budget.used(), 750u);
}

TEST(ReceiveMemory, ErrorNamesTheSumAndTheLimit) {
  ConnectionLimits limits;
  limits.max_unread_bytes = 100;
  MemoryShare share(nullptr);
  ReceiveMemory memory(limits, share);
  memory.retain(60);

  const Status status = memory.exceeded_by(50);

  EXPECT_EQ(status.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(status.message(),
            "receive message: 110 bytes of unfinished and unread messages exceed max_unread_bytes 100");
}

}  // namespace
}  // namespace trunkline::session::native
