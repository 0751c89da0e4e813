// SPDX-License-Identifier: MIT
// The order of local events, and those of calls that are over.
#include "session/native/local_events.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
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

  events.drop(1);

  EXPECT_EQ(events.pop().id, 2u);
  EXPECT_EQ(events.pop().id, 3u);
  EXPECT_TRUE(events.empty());
}

TEST(LocalEvents, AreEmptyOnceAllAreDropped) {
  CountingOwner owner;
  LocalEvents events(owner);
  events.push(writable(1));

  events.drop(1);
  const bool was_empty = events.empty();
  events.push(writable(2));

  EXPECT_TRUE(was_empty);
  EXPECT_EQ(events.pop().id, 2u);
}

}  // namespace
}  // namespace trunkline::session::native
