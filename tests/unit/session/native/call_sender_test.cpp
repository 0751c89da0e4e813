// SPDX-License-Identifier: MIT
// Calls, messages and responses to frames, without a session around them.
#include "session/native/call_sender.h"

#include "native_parts.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

struct QuietOwner final : SessionOwner {
  void on_session_wake() noexcept override {}
};

class CallSenderTest : public testing::Test {
 protected:
  explicit CallSenderTest(Role role = Role::server) : parts(role) {}

  NativeParts parts;
  QuietOwner owner;
  EventInHand in_hand;
  CallSender sender{parts.role, parts.options, parts.negotiation, parts.path, parts.calls, owner};
};

class ClientCallSender : public CallSenderTest {
 protected:
  ClientCallSender() : CallSenderTest(Role::client) {}
};

TEST_F(ClientCallSender, NamesAMethodOnceAndThenSendsItsId) {
  const CallStart start{.method = {.key = 3, .name = "a/b"}};

  const auto first = sender.start(start, kit::payload("one"), parts.now);
  const auto second = sender.start(start, kit::payload("two"), parts.now);

  const auto frames = parts.take_output();
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(*first, 1u);
  EXPECT_EQ(*second, 2u);
  EXPECT_EQ(frames[0].method, "a/b");
  EXPECT_EQ(frames[1].method, "");
  EXPECT_EQ(frames[0].header.number, frames[1].header.number);
  EXPECT_EQ(parts.calls.size(), 2u);
  EXPECT_EQ(sender.payload_bytes_accepted(), 6u);
}

TEST_F(ClientCallSender, QueuesACallForWhichThereIsNoCredit) {
  parts.path.charge(static_cast<std::size_t>(parts.path.queue().credit()) - 16);

  const auto id = sender.start({.method = {.key = 3, .name = "a/b"}}, kit::payload("one"), parts.now);

  ASSERT_TRUE(id.is_ok());
  EXPECT_TRUE(parts.take_output().empty());
  EXPECT_TRUE(parts.path.queue().has_queued_calls());
  EXPECT_FALSE(parts.calls.find(*id)->has_begun());
}

TEST_F(ClientCallSender, LeavesNoTraceOfACallThatCannotBeEncoded) {
  const int number = 5;
  OutgoingMessage message;
  message.codec = &kit::bytes_codec();
  message.message = MessageView::of(number);

  const auto id = sender.start({.method = {.key = 3, .name = "a/b"}}, message, parts.now);

  EXPECT_FALSE(id.is_ok());
  EXPECT_TRUE(parts.calls.empty());
  EXPECT_EQ(parts.calls.ids().newest(), 0u);
  EXPECT_TRUE(parts.take_output().empty());
}

TEST_F(CallSenderTest, FinishesTheCallInHandWithoutAnEntry) {
  in_hand.set_unary_call(1);

  EXPECT_TRUE(sender.finish_directly(1, kit::payload("one"), 1000));

  const auto frames = parts.take_output();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(frames[0].is(wire::FrameType::finish));
  EXPECT_EQ(frames[0].message, "one");
  EXPECT_TRUE(parts.calls.empty());
}

TEST_F(CallSenderTest, QueuesAResponseForWhichThereIsNoCredit) {
  in_hand.set_unary_call(1);

  EXPECT_FALSE(sender.finish_directly(1, kit::payload("one"), 2));
  EXPECT_TRUE(sender.finish(1, nullptr, in_hand, {}, kit::payload("one"), nullptr, false).is_ok());

  ASSERT_NE(parts.calls.find(1), nullptr);
  EXPECT_EQ(parts.calls.find(1)->phase, CallPhase::closed);
  EXPECT_TRUE(parts.calls.find(1)->peer_has_ended);
  EXPECT_FALSE(parts.path.queue().is_idle());
}

TEST_F(CallSenderTest, FinishesWithAnErrorAtOnce) {
  in_hand.set_unary_call(1);

  const Status status(StatusCode::aborted, "stop");
  EXPECT_EQ(sender.finish(1, nullptr, in_hand, status, {}, nullptr, true), status);

  const auto frames = parts.take_output();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].status_message, "stop");
  EXPECT_TRUE(frames[0].header.has(wire::flag::unprocessed));
  EXPECT_TRUE(parts.calls.empty());
}

TEST_F(CallSenderTest, RefusesAMessageAfterTheEnd) {
  CallState& call = *parts.calls.open(1, nullptr);
  ASSERT_TRUE(sender.send(call, {}, nullptr, true).is_ok());

  EXPECT_EQ(sender.send(call, kit::payload("one"), nullptr, false).code(), StatusCode::failed_precondition);
}

TEST_F(CallSenderTest, SendsLeadingMetadataBeforeTheFirstMessageOnly) {
  CallState& call = *parts.calls.open(1, nullptr);
  Metadata leading;
  leading.add("name", "value");

  ASSERT_TRUE(sender.send(call, {}, &leading, false).is_ok());
  ASSERT_TRUE(sender.send(call, {}, &leading, false).is_ok());

  EXPECT_EQ(parts.sent.size(), 1u);
  EXPECT_TRUE(call.sent_message);
}

}  // namespace
}  // namespace trunkline::session::native
