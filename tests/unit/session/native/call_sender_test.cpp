// SPDX-License-Identifier: MIT
// Calls, messages and responses to frames, without a session around them.
#include "session/native/call_sender.h"

#include "native_parts.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>

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
  CurrentEvent current;
  ConnectionPhase phase = ConnectionPhase::open;
  CallSender sender{parts.role, parts.options, phase, parts.negotiation, parts.path, parts.calls, owner};
};

class ClientCallSender : public CallSenderTest {
 protected:
  ClientCallSender() : CallSenderTest(Role::client) {}
};

/// A codec of the application's that does something else while it encodes, as one that runs the loop does.
struct BusyCodec final : Codec {
  std::string_view name() const noexcept override { return "bytes"; }
  bool supports(const MessageType&) const noexcept override { return true; }
  Status encode(MessageView, BufferWriter& out) const override {
    if (const auto task = std::exchange(meanwhile, nullptr)) task();
    out.append(std::string_view("encoded"));
    return {};
  }
  Status decode(const Slice&, MutableMessageView) const override { return {}; }
  mutable std::function<void()> meanwhile;
};

struct Plain {
  static constexpr std::string_view trunkline_codec = "bytes";
};

class BusyCallSender : public testing::Test {
 protected:
  static SessionOptions with(const CodecRegistry& codecs) {
    SessionOptions options = kit::plain_options();
    options.codecs = &codecs;
    return options;
  }
  OutgoingMessage message() const { return {.codec = codec.get(), .message = MessageView::of(content)}; }

  const std::shared_ptr<BusyCodec> codec = std::make_shared<BusyCodec>();
  const CodecRegistry codecs = CodecRegistry().add(codec);
  const Plain content{};
  NativeParts parts{Role::client, with(codecs)};
  QuietOwner owner;
  ConnectionPhase phase = ConnectionPhase::open;
  CallSender sender{parts.role, parts.options, phase, parts.negotiation, parts.path, parts.calls, owner};
};

TEST_F(BusyCallSender, GivesEachCallItsOwnIdAlsoIfOneBeginsWhileAnotherIsEncoded) {
  const CallStart start{.method = {.key = 3, .name = "a/b"}};
  Result<CallId> inner = 0;
  codec->meanwhile = [&] { inner = sender.start(start, message(), parts.now); };

  const Result<CallId> outer = sender.start(start, message(), parts.now);
  parts.path.pump();

  ASSERT_TRUE(inner.is_ok());
  ASSERT_TRUE(outer.is_ok());
  EXPECT_EQ(*inner, 1u);
  EXPECT_EQ(*outer, 2u);
  EXPECT_EQ(parts.calls.size(), 2u);
}

TEST_F(BusyCallSender, BeginsNoCallOnAConnectionThatEndsWhileItIsEncoded) {
  codec->meanwhile = [&] { phase = ConnectionPhase::closed; };

  const Result<CallId> id = sender.start({.method = {.key = 3, .name = "a/b"}}, message(), parts.now);

  EXPECT_EQ(id.status().code(), StatusCode::unavailable);
  EXPECT_FALSE(id.status().may_have_run());
  EXPECT_TRUE(parts.calls.empty());
}

TEST_F(BusyCallSender, SendsNothingOnACallThatEndsWhileItsMessageIsEncoded) {
  CallState& call = *parts.calls.open(1, &parts);
  codec->meanwhile = [&] { parts.calls.forget(call); };

  const Status status = sender.send(call, message(), nullptr, false);

  EXPECT_EQ(status.code(), StatusCode::cancelled);
  EXPECT_TRUE(parts.path.queue().is_idle());
}

TEST_F(BusyCallSender, SendsNothingOnASideThatEndsWhileItsMessageIsEncoded) {
  CallState& call = *parts.calls.open(1, &parts);
  codec->meanwhile = [&] { static_cast<void>(sender.send(call, {}, nullptr, true)); };

  const Status status = sender.send(call, message(), nullptr, false);

  EXPECT_EQ(status.code(), StatusCode::failed_precondition);
}

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
  const kit::Foreign foreign;
  OutgoingMessage message;
  message.codec = &kit::bytes_codec();
  message.message = MessageView::of(foreign);

  const auto id = sender.start({.method = {.key = 3, .name = "a/b"}}, message, parts.now);

  EXPECT_FALSE(id.is_ok());
  EXPECT_TRUE(parts.calls.empty());
  EXPECT_EQ(parts.calls.ids().newest(), 0u);
  EXPECT_TRUE(parts.take_output().empty());
}

TEST_F(CallSenderTest, FinishesTheCallInHandWithoutAnEntry) {
  current.set_unary_call(1);

  EXPECT_TRUE(sender.finish_directly(1, kit::payload("one"), 1000));

  const auto frames = parts.take_output();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(frames[0].is(wire::FrameType::finish));
  EXPECT_EQ(frames[0].message, "one");
  EXPECT_TRUE(parts.calls.empty());
}

TEST_F(CallSenderTest, QueuesAResponseForWhichThereIsNoCredit) {
  current.set_unary_call(1);

  EXPECT_FALSE(sender.finish_directly(1, kit::payload("one"), 2));
  EXPECT_TRUE(sender.finish(1, nullptr, current, {}, kit::payload("one"), nullptr, false).is_ok());

  ASSERT_NE(parts.calls.find(1), nullptr);
  EXPECT_EQ(parts.calls.find(1)->phase, CallPhase::closed);
  EXPECT_TRUE(parts.calls.find(1)->peer_has_ended);
  EXPECT_FALSE(parts.path.queue().is_idle());
}

TEST_F(CallSenderTest, FinishesWithAnErrorAtOnce) {
  current.set_unary_call(1);

  const Status status(StatusCode::aborted, "stop");
  EXPECT_EQ(sender.finish(1, nullptr, current, status, {}, nullptr, true), status);

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
