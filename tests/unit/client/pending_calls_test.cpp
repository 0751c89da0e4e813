// SPDX-License-Identifier: MIT
// The queue of calls that wait for a connection, and calls in the pause before a retry.
#include "client/pending_calls.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace trunkline::client {

namespace {

using namespace std::chrono_literals;

class PendingCallsTest : public ::testing::Test {
 protected:
  struct Call : Attempt {
    Call(PendingCallsTest& of_test, std::string call_name) : test(of_test), name(std::move(call_name)) {
      method = &test.entry;
      started = test.start;
    }
    ~Call() override { test.pending.remove(*this); }
    Status start_on(ClientConnection&) override { return {}; }
    void fail(Status with) override {
      status = std::move(with);
      ++failures;
      if (on_fail) on_fail();
    }
    PendingCallsTest& test;
    const std::string name;
    Status status;
    int failures = 0;
    std::function<void()> on_fail;
  };

  PendingCallsTest() { entry.name = "Echo"; }
  void advance(base::Duration by) { timers.advance(now += by); }
  std::string popped() { return static_cast<Call&>(pending.pop()).name; }

  const base::TimePoint start{};
  base::TimePoint now = start;
  MethodEntry entry;
  base::TimerWheel timers{start};
  std::vector<std::string> resumed;
  bool has_room_soon = false;
  PendingCalls pending{timers,
                       2,
                       {.reason = [] { return std::string("a connection to inproc://x"); },
                        .has_room_soon = [this] { return has_room_soon; },
                        .resume = [this](Attempt& attempt) { resumed.push_back(static_cast<Call&>(attempt).name); }}};
};

using PendingCallsOrder = PendingCallsTest;
using PendingCallsEnd = PendingCallsTest;

TEST_F(PendingCallsOrder, FirstInFirstOut) {
  Call first(*this, "first");
  Call second(*this, "second");
  pending.push(first);
  pending.push(second);

  EXPECT_EQ(pending.queued(), 2u);
  EXPECT_EQ(popped(), "first");
  EXPECT_EQ(popped(), "second");
  EXPECT_TRUE(pending.empty());
  EXPECT_FALSE(pending.has_queued());
}

TEST_F(PendingCallsOrder, BeyondTheLimitCallsThatWaitForAMomentAreQueued) {
  Call first(*this, "first");
  Call second(*this, "second");
  Call third(*this, "third");
  pending.push(first);
  pending.push(second);
  has_room_soon = true;

  pending.push(third);

  EXPECT_EQ(pending.queued(), 3u);
  EXPECT_EQ(popped(), "first");
  EXPECT_EQ(popped(), "second");
  EXPECT_EQ(popped(), "third");
}

TEST_F(PendingCallsOrder, BeyondTheLimitOnlyCallsThatWaitForRoomAreQueued) {
  Call first(*this, "first");
  Call second(*this, "second");
  Call third(*this, "third");
  Call waiting(*this, "waiting");
  waiting.waits_for_room = true;
  pending.push(first);
  pending.push(second);

  pending.push(third);
  pending.push(waiting);

  EXPECT_EQ(third.status.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(third.status.message(), "call Echo: 2 calls wait for a connection, max_pending_calls is 2");
  EXPECT_FALSE(third.status.may_have_run());
  EXPECT_EQ(waiting.failures, 0);
  EXPECT_EQ(pending.queued(), 3u);
}

TEST_F(PendingCallsOrder, ARemovedCallIsGoneFromItsPlace) {
  Call first(*this, "first");
  Call second(*this, "second");
  pending.push(first);
  pending.push(second);

  EXPECT_TRUE(pending.remove(first));
  EXPECT_FALSE(pending.remove(first));

  EXPECT_EQ(popped(), "second");
}

TEST_F(PendingCallsOrder, APausedCallIsNotInTheQueue) {
  Call call(*this, "call");
  pending.pause(call, now + 10ms);

  EXPECT_FALSE(pending.has_queued());
  EXPECT_FALSE(pending.empty());
  EXPECT_EQ(pending.paused(), 1u);
  advance(9ms);
  EXPECT_TRUE(resumed.empty());
  advance(2ms);
  EXPECT_EQ(resumed, std::vector<std::string>{"call"});
  EXPECT_TRUE(pending.empty());
}

TEST_F(PendingCallsOrder, ARemovedPausedCallIsNotResumed) {
  Call call(*this, "call");
  pending.pause(call, now + 10ms);

  EXPECT_TRUE(pending.remove(call));
  advance(20ms);

  EXPECT_TRUE(resumed.empty());
}

TEST_F(PendingCallsOrder, ACallMayWaitAgainAfterItsPause) {
  Call call(*this, "call");
  pending.pause(call, now + 10ms);
  advance(11ms);

  pending.push(call);

  EXPECT_EQ(popped(), "call");
}

TEST_F(PendingCallsEnd, AQueuedCallFailsAtItsDeadlineAndSaysWhatItWaitedFor) {
  Call call(*this, "call");
  call.deadline = now + 1s;
  pending.push(call);

  advance(999ms);
  EXPECT_EQ(call.failures, 0);
  advance(2ms);

  EXPECT_EQ(call.status.code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(call.status.message(), "call Echo: deadline exceeded after 1000 ms waiting for a connection to inproc://x");
  EXPECT_FALSE(call.status.may_have_run());
  EXPECT_TRUE(pending.empty());
}

TEST_F(PendingCallsEnd, ADeadlineEndsThePause) {
  Call call(*this, "call");
  call.deadline = now + 5ms;
  pending.pause(call, now + 10s);

  advance(6ms);

  EXPECT_EQ(resumed, std::vector<std::string>{"call"}) << "the invoker sees then that the deadline is over";
}

TEST_F(PendingCallsEnd, FailFastLeavesCallsThatWaitForReady) {
  Call fast(*this, "fast");
  Call ready(*this, "ready");
  Call paused(*this, "paused");
  ready.wait_for_ready = true;
  pending.push(fast);
  pending.push(ready);
  pending.pause(paused, now + 1s);

  pending.fail_fast({StatusCode::unavailable, "refused"}, false);

  EXPECT_EQ(fast.status.message(), "call Echo: refused");
  EXPECT_EQ(ready.failures, 0);
  EXPECT_EQ(paused.failures, 0);
  EXPECT_EQ(pending.queued(), 1u);
}

TEST_F(PendingCallsEnd, FailFastLeavesRepeatedCallsIfTheServerHadGreeted) {
  Call repeated(*this, "repeated");
  repeated.is_repeated = true;
  pending.push(repeated);

  pending.fail_fast({StatusCode::unavailable, "ended"}, true);
  const int failures_of_server = repeated.failures;
  pending.fail_fast({StatusCode::unavailable, "refused"}, false);

  EXPECT_EQ(failures_of_server, 0);
  EXPECT_EQ(repeated.failures, 1);
}

TEST_F(PendingCallsEnd, ACallThatFailsMayTakeOutAnother) {
  Call first(*this, "first");
  Call second(*this, "second");
  Call ready(*this, "ready");
  ready.wait_for_ready = ready.waits_for_room = true;
  first.on_fail = [&] { pending.remove(second); };
  for (Call* const call : {&first, &second, &ready}) pending.push(*call);

  pending.fail_fast({StatusCode::unavailable, "refused"}, false);

  EXPECT_EQ(first.failures, 1);
  EXPECT_EQ(second.failures, 0);
  EXPECT_EQ(ready.failures, 0);
  EXPECT_EQ(pending.queued(), 1u);
  pending.fail_all({StatusCode::cancelled, "closed"});
  EXPECT_EQ(ready.failures, 1);
}

TEST_F(PendingCallsEnd, FailAllEndsQueuedAndPausedCallsOnce) {
  Call queued(*this, "queued");
  Call paused(*this, "paused");
  paused.deadline = now + 1s;
  pending.push(queued);
  pending.pause(paused, now + 1s);

  pending.fail_all({StatusCode::cancelled, "the channel is closed"});
  advance(2s);

  EXPECT_EQ(queued.status.message(), "call Echo: the channel is closed");
  EXPECT_EQ(queued.failures, 1);
  EXPECT_EQ(paused.failures, 1);
  EXPECT_TRUE(pending.empty());
  EXPECT_TRUE(resumed.empty());
}

}  // namespace

}  // namespace trunkline::client
