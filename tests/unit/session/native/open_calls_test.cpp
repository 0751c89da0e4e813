// SPDX-License-Identifier: MIT
// What an open call retains, and that nothing of it is left once it is forgotten.
#include "session/native/open_calls.h"

#include "native_parts.h"

#include <gtest/gtest.h>

#include <utility>

namespace trunkline::session::native {
namespace {

using namespace std::chrono_literals;

TEST(OpenCalls, BeginWithTheCreditOfBothHellos) {
  NativeParts parts;

  const CallState& call = *parts.calls.open(5, &parts);

  EXPECT_EQ(parts.calls.find(5), &call);
  EXPECT_EQ(call.context, &parts);
  EXPECT_EQ(call.send_credit, parts.negotiation.peer().call_credit);
  EXPECT_EQ(call.receive_credit, parts.options.limits.call_credit_bytes);
}

TEST(OpenCalls, OpenedFromTheEventInHandHaveSpentItsCredit) {
  NativeParts parts;
  CurrentEvent current;
  current.set_unary_call(5);
  current.set_credit(5, {116, 100, 30});

  const CallState& call = *parts.calls.open(current, nullptr);

  EXPECT_EQ(call.id, 5u);
  EXPECT_EQ(call.receive_credit, parts.options.limits.call_credit_bytes - 100);
  EXPECT_EQ(call.returnable_credit, -30);
}

TEST(OpenCalls, LeaveNothingBehindWhenForgotten) {
  NativeParts parts;
  CallState& call = *parts.calls.open(5, nullptr);
  parts.queue(call, 1000);
  parts.calls.retain_metadata(call, 70);
  call.assembly.begin({.total = 500, .room = 500, .codec = 1});
  parts.calls.memory().retain(500);
  parts.calls.schedule_deadline(call, parts.now + 1s);
  parts.calls.refuse_rest(*parts.calls.open(6, nullptr));

  parts.calls.forget(call);
  parts.calls.forget(*parts.calls.find(6));

  EXPECT_TRUE(parts.calls.empty());
  EXPECT_EQ(parts.calls.memory().retained(), 0u);
  EXPECT_EQ(parts.calls.refused(), 0u);
  EXPECT_TRUE(parts.path.queue().is_idle());
  EXPECT_EQ(parts.timers.size(), 0u);
}

TEST(OpenCalls, WithoutADeadlineHaveNoTimer) {
  NativeParts parts;

  parts.calls.schedule_deadline(*parts.calls.open(5, nullptr), base::never);

  EXPECT_EQ(parts.timers.size(), 0u);
}

TEST(OpenCalls, RefusedRestDropsTheMessageAndTheDeadline) {
  NativeParts parts;
  CallState& call = *parts.calls.open(5, nullptr);
  call.assembly.begin({.total = 500, .room = 500, .codec = 1});
  parts.calls.memory().retain(500);
  parts.calls.schedule_deadline(call, parts.now + 1s);

  parts.calls.refuse_rest(call);

  EXPECT_TRUE(call.is_refused);
  EXPECT_TRUE(call.takes_more());
  EXPECT_EQ(parts.calls.refused(), 1u);
  EXPECT_EQ(parts.calls.memory().retained(), 0u);
  EXPECT_EQ(parts.timers.size(), 0u);
}

TEST(OpenCalls, KeepTheirTurnOnlyOnAnOrderedConnection) {
  NativeParts parts;
  CallState& call = *parts.calls.open(5, &parts);
  const bool unordered = parts.calls.keeps_place(call);
  wire::Hello hello;
  hello.ordered = true;
  parts.negotiation.apply(hello);

  EXPECT_FALSE(unordered);
  EXPECT_TRUE(parts.calls.keeps_place(call));
  call.one_way = true;
  EXPECT_FALSE(parts.calls.keeps_place(call));
}

TEST(OpenCalls, AreListedByAgeAcrossAWrap) {
  NativeParts parts;
  for (const CallId id : {0xFFFFFFFEu, 0xFFFFFFFFu, 1u, 2u}) {
    parts.calls.open(id, nullptr);
    parts.calls.ids().advance_to(id);
  }

  std::vector<CallId> ids;
  for (const CallState* call : parts.calls.by_age([](const CallState&) { return true; })) ids.push_back(call->id);

  EXPECT_EQ(ids, (std::vector<CallId>{0xFFFFFFFEu, 0xFFFFFFFFu, 1, 2}));
}

TEST(OpenCalls, GiveRoomToWhatWaitsBehindAnUnreadMessageOnceItIsRead) {
  NativeParts parts;
  CallState& behind = *parts.calls.open(5, nullptr);
  CallState& other = *parts.calls.open(6, nullptr);
  for (CallState* call : {&behind, &other}) {
    call->assembly.begin_waiting({.total = 500, .room = 500, .codec = 1});
    parts.calls.add_waiting(*call);
  }
  behind.returnable_credit = -100;
  const bool admitted_other = parts.calls.admit_waiting(parts.now);
  const bool was_admitted = behind.assembly.is_admitted();
  const bool admitted_nothing = !parts.calls.admit_waiting(parts.now);

  behind.returnable_credit = 0;
  parts.calls.unblock_waiting(behind);

  EXPECT_TRUE(admitted_other);
  EXPECT_TRUE(other.assembly.is_admitted());
  EXPECT_FALSE(was_admitted);
  EXPECT_TRUE(admitted_nothing);
  EXPECT_TRUE(parts.calls.admit_waiting(parts.now));
  EXPECT_TRUE(behind.assembly.is_admitted());
  EXPECT_FALSE(parts.calls.has_waiting());
}

TEST(OpenCalls, ReturnTheCreditOfAMessageThatWaitsWhenForgotten) {
  NativeParts parts;
  CallState& call = *parts.calls.open(5, nullptr);
  call.assembly.begin_waiting({.total = 500, .room = 500, .codec = 1});
  parts.calls.add_waiting(call);
  call.assembly.position(100);
  call.assembly.advance(100);
  parts.credit.charge(100);
  parts.credit.add_waiting({100});

  parts.calls.forget(call);

  EXPECT_EQ(parts.credit.held(), 0u);
  EXPECT_FALSE(parts.calls.has_waiting());
}

TEST(OpenCalls, MayFailToWriteCreditFrames) {
  // Without memory for the frame an exception has to reach the caller.
  static_assert(!noexcept(std::declval<OpenCalls&>().refuse_rest(std::declval<CallState&>())));
  static_assert(!noexcept(std::declval<OpenCalls&>().drop_assembly(std::declval<CallState&>())));
}

}  // namespace
}  // namespace trunkline::session::native
