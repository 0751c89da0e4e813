// SPDX-License-Identifier: MIT
// The order of local events, and those of calls that are over.
#include "session/local_events.h"

#include <gtest/gtest.h>

#include <vector>

namespace trunkline::session {
namespace {

struct CountingOwner final : SessionOwner {
  void on_session_wake() noexcept override { ++wakes; }
  int wakes = 0;
};

LocalEvent writable(CallId id) { return {EventType::writable, id, nullptr, {}}; }

TEST(LocalEvents, ArePoppedInOrder) {
  CountingOwner owner;
  LocalEvents events(owner);

  events.push(writable(1));
  events.push(writable(2));

  EXPECT_EQ(events.pop().id, 1u);
  EXPECT_EQ(events.pop().id, 2u);
  EXPECT_TRUE(events.empty());
  EXPECT_EQ(owner.wakes, 0);
}

TEST(LocalEvents, WakeTheOwnerWhenNotified) {
  CountingOwner owner;
  LocalEvents events(owner);

  events.notify(writable(1));

  EXPECT_EQ(owner.wakes, 1);
  EXPECT_EQ(events.pop().id, 1u);
}

TEST(LocalEvents, OfADroppedCallAreNotPopped) {
  CountingOwner owner;
  LocalEvents events(owner);
  for (const CallId id : {1u, 2u, 1u, 3u}) events.push(writable(id));
  static_cast<void>(events.pop());

  static_cast<void>(events.drop(1));

  EXPECT_EQ(events.pop().id, 2u);
  EXPECT_EQ(events.pop().id, 3u);
  EXPECT_TRUE(events.empty());
}

TEST(LocalEvents, TellHowADroppedCallHasEnded) {
  for (const int others : {0, 100}) {
    CountingOwner owner;
    LocalEvents events(owner);
    for (int i = 0; i < others; ++i) events.push(writable(100));
    events.push(writable(1));
    events.push({EventType::cancelled, 1, nullptr, Status(StatusCode::deadline_exceeded, "late")});
    events.push(writable(2));

    EXPECT_EQ(events.drop(1), Status(StatusCode::deadline_exceeded, "late")) << others;
    EXPECT_TRUE(events.drop(1).is_ok()) << others;
    EXPECT_TRUE(events.drop(2).is_ok()) << others;
  }
}

TEST(LocalEvents, AreEmptyOnceAllAreDropped) {
  CountingOwner owner;
  LocalEvents events(owner);
  events.push(writable(1));

  static_cast<void>(events.drop(1));
  const bool was_empty = events.empty();
  events.push(writable(2));

  EXPECT_TRUE(was_empty);
  EXPECT_EQ(events.pop().id, 2u);
}

TEST(LocalEvents, DropsAmongManyEvents) {
  CountingOwner owner;
  LocalEvents events(owner);
  for (CallId id = 1; id <= 100; ++id) events.push(writable(id));
  for (int i = 0; i < 10; ++i) static_cast<void>(events.pop());

  for (CallId id = 1; id <= 50; ++id) static_cast<void>(events.drop(id));
  for (const CallId id : {60u, 60u, 70u}) events.push(writable(id));
  static_cast<void>(events.drop(60));
  std::vector<CallId> popped;
  while (!events.empty()) popped.push_back(events.pop().id);

  std::vector<CallId> expected;
  for (CallId id = 51; id <= 100; ++id) {
    if (id != 60) expected.push_back(id);
  }
  expected.push_back(70);
  EXPECT_EQ(popped, expected);
}

TEST(LocalEvents, TheCostOfDroppingDoesNotGrowWithTheirNumber) {
  CountingOwner owner;
  LocalEvents events(owner);
  constexpr CallId count = 200000;

  // As if as many deadlines passed at once.
  for (CallId id = 1; id <= count; ++id) {
    static_cast<void>(events.drop(id));
    events.push({EventType::finished, id, nullptr, {}});
  }

  std::size_t popped = 0;
  for (; !events.empty(); ++popped) static_cast<void>(events.pop());
  EXPECT_EQ(popped, count);
  EXPECT_LE(events.steps(), 2 * count);
}

TEST(LocalEvents, OfManyCallsAreDroppedInOneStepEach) {
  CountingOwner owner;
  LocalEvents events(owner);
  constexpr CallId count = 10000;
  for (CallId id = 1; id <= count; ++id) events.push(writable(id));

  for (CallId id = count; id >= 1; --id) static_cast<void>(events.drop(id));

  EXPECT_TRUE(events.empty());
  EXPECT_LE(events.steps(), 2 * count);
}

TEST(LocalEvents, ThatWereDroppedBehindOneThatWaitsAreNotSearched) {
  CountingOwner owner;
  LocalEvents events(owner);
  constexpr CallId count = 10000;
  events.push(writable(1));

  for (CallId id = 2; id <= count; ++id) {
    events.push(writable(id));
    static_cast<void>(events.drop(id));
  }

  EXPECT_EQ(events.pop().id, 1u);
  EXPECT_LE(events.steps(), 2 * count);
}

}  // namespace
}  // namespace trunkline::session
