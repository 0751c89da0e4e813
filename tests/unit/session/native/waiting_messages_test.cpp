// SPDX-License-Identifier: MIT
// The order of messages that wait for room.
#include "session/native/waiting_messages.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

namespace trunkline::session::native {
namespace {

using Queue = WaitingMessages::Queue;

class WaitingMessagesTest : public testing::Test {
 protected:
  WaitingMessagesTest() {
    for (CallId id = 1; id <= 5; ++id)
      calls.emplace_back(id, nullptr, nullptr, [](base::Timer&, void*, base::TimePoint) {});
  }
  CallState& call(CallId id) { return calls[id - 1]; }
  /// Those of a queue, which is empty afterwards.
  std::vector<CallId> take(Queue queue) {
    std::vector<CallId> ids;
    while (CallState* first = waiting.first(queue)) {
      ids.push_back(first->id);
      waiting.remove(*first);
    }
    return ids;
  }

  std::deque<CallState> calls;
  WaitingMessages waiting;
};

TEST_F(WaitingMessagesTest, AreTakenInTheOrderOfTheirQueue) {
  waiting.add(call(1), Queue::requests);
  waiting.add(call(2), Queue::of_open_calls);
  waiting.add(call(3), Queue::requests);

  EXPECT_EQ(waiting.size(), 3u);
  EXPECT_EQ(take(Queue::requests), (std::vector<CallId>{1, 3}));
  EXPECT_EQ(take(Queue::of_open_calls), (std::vector<CallId>{2}));
  EXPECT_TRUE(waiting.empty());
}

TEST_F(WaitingMessagesTest, CanBeRemovedAnywhere) {
  for (CallId id = 1; id <= 5; ++id) waiting.add(call(id), Queue::requests);

  for (const CallId id : {1u, 3u, 5u}) waiting.remove(call(id));

  EXPECT_EQ(take(Queue::requests), (std::vector<CallId>{2, 4}));
}

TEST_F(WaitingMessagesTest, AreLastInTheQueueThatTheyAreMovedTo) {
  for (CallId id = 1; id <= 3; ++id) waiting.add(call(id), Queue::of_open_calls);
  waiting.move(call(1), Queue::behind_unread);
  const CallState* const blocked = waiting.first(Queue::behind_unread);

  waiting.move(call(1), Queue::of_open_calls);

  EXPECT_EQ(blocked, &call(1));
  EXPECT_EQ(waiting.first(Queue::behind_unread), nullptr);
  EXPECT_EQ(take(Queue::of_open_calls), (std::vector<CallId>{2, 3, 1}));
}

TEST_F(WaitingMessagesTest, HaveWaitedSinceTheFirstLookAfterTheyWereAdded) {
  using std::chrono::seconds;
  const base::TimePoint start{std::chrono::hours(1)};
  call(1).assembly.begin_waiting({.total = 10, .room = 10, .codec = 1});
  call(2).assembly.begin_waiting({.total = 10, .room = 10, .codec = 1});
  waiting.add(call(1), Queue::requests);
  waiting.start_clocks(start);
  waiting.add(call(2), Queue::requests);

  waiting.start_clocks(start + seconds(3));

  EXPECT_EQ(call(1).assembly.time_waited(start + seconds(4)), seconds(4));
  EXPECT_EQ(call(2).assembly.time_waited(start + seconds(4)), seconds(1));
}

}  // namespace
}  // namespace trunkline::session::native
