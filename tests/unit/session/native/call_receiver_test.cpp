// SPDX-License-Identifier: MIT
// Frames about calls to events, without a session around them.
#include "session/native/call_receiver.h"

#include "native_parts.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

using Outcome = CallReceiver::Outcome;

struct QuietOwner final : SessionOwner {
  void on_session_wake() noexcept override {}
};

class CallReceiverTest : public testing::Test {
 protected:
  explicit CallReceiverTest(Role role = Role::server) : parts(role) {}

  /// Splits the bytes of one frame. They are valid until the next call.
  Frame frame(const kit::FrameSpec& spec) {
    bytes = Slice::copy_of(spec.bytes());
    return {wire::read_header(bytes.data()), bytes.bytes().subspan(wire::header_bytes), bytes.block()};
  }
  Outcome take(const kit::FrameSpec& spec) {
    event.clear();
    return receiver.take(frame(spec), parts.now, event);
  }

  NativeParts parts;
  QuietOwner owner;
  CurrentEvent current;
  GoawayState goaway;
  CallReceiver receiver{
      parts.role, parts.options, {parts.negotiation, parts.path, parts.credit, parts.calls, current, goaway}, owner};
  Event event;
  Slice bytes;
};

/// The layer above refuses every call before its message is read.
class RefusingCallReceiver : public CallReceiverTest {
 protected:
  struct RefusingOwner final : SessionOwner {
    void on_session_wake() noexcept override {}
    Status on_call_begun(Event&) override { return {StatusCode::unimplemented, "no such method"}; }
  };
  Outcome offer(const kit::FrameSpec& spec) {
    event.clear();
    return refusing_receiver.take(frame(spec), parts.now, event);
  }

  RefusingOwner refusing;
  CallReceiver refusing_receiver{
      parts.role, parts.options, {parts.negotiation, parts.path, parts.credit, parts.calls, current, goaway}, refusing};
};

TEST_F(RefusingCallReceiver, ReturnsTheCreditOfTheConnection) {
  kit::FrameSpec first = kit::call(1, 1, "a/b", "hello");
  first.flags = wire::flag::message | wire::flag::more;
  first.message_bytes = 100'000;

  EXPECT_EQ(offer(first), Outcome::done);
  EXPECT_EQ(parts.credit.unread(), 0u);
  EXPECT_EQ(offer(kit::message(1, std::string(1000, 'x'), wire::flag::more)), Outcome::done);
  EXPECT_EQ(parts.credit.unread(), 0u);
  EXPECT_LT(parts.credit.left(), std::int64_t{parts.options.limits.connection_credit_bytes}) << "nothing was charged";
}

class ClientCallReceiver : public CallReceiverTest {
 protected:
  ClientCallReceiver() : CallReceiverTest(Role::client) {}
};

TEST_F(CallReceiverTest, TakesACallWithoutAnEntry) {
  const std::int64_t credit = parts.credit.left();
  const kit::FrameSpec call = kit::call(1, 1, "a/b", "hello");

  ASSERT_EQ(take(call), Outcome::event);

  EXPECT_EQ(event.type, EventType::call);
  EXPECT_EQ(event.method_name, "a/b");
  EXPECT_EQ(as_text(event.payload), "hello");
  EXPECT_TRUE(current.is_call(1));
  EXPECT_TRUE(parts.calls.empty());
  EXPECT_EQ(credit - parts.credit.left(), static_cast<std::int64_t>(call.bytes().size()));
  EXPECT_EQ(current.credit().call_bytes, 5u);
}

TEST_F(CallReceiverTest, TakesThePlainWayOnceTheMethodIsKnown) {
  const bool before = receiver.try_take_unary(frame(kit::call(1, 1, {}, "hello")), event);
  ASSERT_EQ(take(kit::call(1, 1, "a/b", "hello")), Outcome::event);

  event.clear();
  const bool after = receiver.try_take_unary(frame(kit::call(2, 1, {}, "hello")), event);

  EXPECT_FALSE(before);
  EXPECT_TRUE(after);
  EXPECT_EQ(event.id, 2u);
  EXPECT_EQ(event.method_name, "a/b");
  EXPECT_TRUE(current.is_call(2));
}

TEST_F(CallReceiverTest, FailsOnAnIdThatDoesNotRise) {
  ASSERT_EQ(take(kit::call(5, 1, "a/b", "hello")), Outcome::event);

  EXPECT_EQ(take(kit::call(5, 1, {}, "hello")), Outcome::failed);
  EXPECT_EQ(receiver.error().message(), "receive call: id 5 does not follow the last one, 5");
}

TEST_F(CallReceiverTest, DiscardsCallsAfterGoaway) {
  goaway.set_sent(0);

  EXPECT_EQ(take(kit::call(1, 1, "a/b", "hello")), Outcome::done);

  EXPECT_FALSE(current.has_call());
  EXPECT_TRUE(parts.take_output().empty());
}

TEST_F(CallReceiverTest, RefusesACallWhoseMetadataHasNoRoom) {
  parts.calls.memory().retain_metadata(parts.options.limits.max_unread_bytes);
  kit::FrameSpec call = kit::call(1, 1, "a/b", "hello");
  call.metadata.add("name", "value");

  EXPECT_EQ(take(call), Outcome::done);

  const auto frames = parts.take_output();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(frames[0].is(wire::FrameType::finish));
  EXPECT_TRUE(frames[0].header.has(wire::flag::unprocessed));
}

TEST_F(CallReceiverTest, DefersCallsWhileThePathIsCongested) {
  ASSERT_EQ(take(kit::call(1, 1, "a/b", "one")), Outcome::event);
  parts.path.output().append(Slice::copy_of(std::string(parts.options.limits.max_unsent_bytes + 1, 'x')));

  EXPECT_EQ(take(kit::call(2, 1, {}, "two")), Outcome::done);
  EXPECT_TRUE(receiver.has_deferred());
  EXPECT_FALSE(receiver.is_deferred_ready());
  parts.path.output().clear();

  EXPECT_TRUE(receiver.is_deferred_ready());
  event.clear();
  ASSERT_EQ(receiver.take_deferred(parts.now, event), Outcome::event);
  EXPECT_EQ(event.id, 2u);
  EXPECT_EQ(as_text(event.payload), "two");
  EXPECT_FALSE(receiver.has_deferred());
}

TEST_F(ClientCallReceiver, TakesAPlainResponseAndForgetsItsCall) {
  parts.calls.ids().advance_to(1);
  parts.calls.open(1, &parts);

  EXPECT_TRUE(receiver.try_take_unary(frame(kit::finish(1, "hello")), event));

  EXPECT_EQ(event.type, EventType::finished);
  EXPECT_EQ(event.context, &parts);
  EXPECT_TRUE(parts.calls.empty());
}

TEST_F(ClientCallReceiver, FailsOnAResponseToACallThatWasNeverOpened) {
  EXPECT_EQ(take(kit::finish(1, "hello")), Outcome::failed);
}

TEST_F(ClientCallReceiver, GrantsCreditToAQueuedCall) {
  CallState& call = *parts.calls.open(1, &parts);
  call.send_credit = 0;
  parts.queue(call, 10);
  parts.path.pump();

  EXPECT_EQ(take(kit::credit(1, 10)), Outcome::done);
  parts.path.pump();

  EXPECT_EQ(parts.take_output().size(), 1u);
}

}  // namespace
}  // namespace trunkline::session::native
