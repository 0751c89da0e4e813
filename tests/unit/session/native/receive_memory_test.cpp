// SPDX-License-Identifier: MIT
// The sum of unfinished and unread messages.
#include "session/native/receive_memory.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

TEST(ReceiveMemory, HasRoomUpToTheLimit) {
  ConnectionLimits limits;
  limits.max_unread_bytes = 100;
  ReceiveMemory memory(limits);

  memory.retain(60);

  EXPECT_TRUE(memory.has_room_for(40));
  EXPECT_FALSE(memory.has_room_for(41));
  memory.release(60);
  EXPECT_TRUE(memory.has_room_for(100));
  EXPECT_EQ(memory.retained(), 0u);
}

TEST(ReceiveMemory, ErrorNamesTheSumAndTheLimit) {
  ConnectionLimits limits;
  limits.max_unread_bytes = 100;
  ReceiveMemory memory(limits);
  memory.retain(60);

  const Status status = memory.exceeded_by(50);

  EXPECT_EQ(status.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(status.message(),
            "receive message: 110 bytes of unfinished and unread messages exceed max_unread_bytes 100");
}

}  // namespace
}  // namespace trunkline::session::native
