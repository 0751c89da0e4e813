// SPDX-License-Identifier: MIT
// Frequent frames take a fast path. The same frame with an empty header block is legal too and takes the general path.
// Both must have the same effect.
#include "kit/lone_session.h"

#include <gtest/gtest.h>

#include <functional>

namespace trunkline::session::native {
namespace {

using kit::FrameSpec;
using kit::LoneSession;
using kit::SeenEvent;
using kit::SeenFrame;

std::string with_empty_block(const FrameSpec& frame) {
  FrameSpec made = frame;
  made.flags |= wire::flag::headers;
  return made.bytes();
}

struct Setting {
  Role role = Role::server;
  SessionOptions options = kit::plain_options();
  wire::Hello hello{};
  LoneSession::OnCall on_call = LoneSession::OnCall::attach;
  std::function<void(LoneSession&)> prepare{};
};

struct Outcome {
  std::vector<SeenEvent> events;
  std::vector<SeenFrame> sent;
  bool is_closed = false;
  std::string reason;
};

Outcome outcome_of(const Setting& setting, const std::string& bytes) {
  LoneSession lone(setting.role, setting.options);
  lone.on_call = setting.on_call;
  lone.greet(setting.hello);
  if (setting.prepare) setting.prepare(lone);
  lone.events();
  lone.sent_frames();
  lone.feed(bytes);
  Outcome outcome;
  outcome.events = lone.events();
  outcome.sent = lone.sent_frames();
  outcome.is_closed = lone.session().is_closed();
  outcome.reason = lone.session().close_reason().to_string();
  return outcome;
}

/// Returns the effect.
Outcome expect_the_same(const Setting& setting, const FrameSpec& frame) {
  Outcome plain = outcome_of(setting, frame.bytes());
  const Outcome close_look = outcome_of(setting, with_empty_block(frame));

  EXPECT_EQ(plain.is_closed, close_look.is_closed);
  EXPECT_EQ(plain.reason, close_look.reason);
  EXPECT_EQ(plain.events.size(), close_look.events.size());
  EXPECT_EQ(plain.sent.size(), close_look.sent.size());
  for (std::size_t i = 0; i < std::min(plain.events.size(), close_look.events.size()); ++i) {
    const SeenEvent& one = plain.events[i];
    const SeenEvent& other = close_look.events[i];
    EXPECT_EQ(one.type, other.type);
    EXPECT_EQ(one.id, other.id);
    EXPECT_EQ(one.has_message, other.has_message);
    EXPECT_EQ(one.end, other.end);
    EXPECT_EQ(one.one_way, other.one_way);
    EXPECT_EQ(one.needs_finish, other.needs_finish);
    EXPECT_EQ(one.payload, other.payload);
    EXPECT_EQ(one.codec, other.codec);
    EXPECT_EQ(one.method, other.method);
    EXPECT_EQ(one.method_number, other.method_number);
    EXPECT_EQ(one.deadline, other.deadline);
    EXPECT_EQ(one.status.to_string(), other.status.to_string());
    EXPECT_EQ(one.credit.call_bytes, other.credit.call_bytes);
    EXPECT_EQ(one.credit.further_bytes, other.credit.further_bytes);
    // The block is part of the frame.
    if (one.credit.connection_bytes != 0) {
      EXPECT_EQ(one.credit.connection_bytes + wire::block_size_bytes, other.credit.connection_bytes);
    }
  }
  for (std::size_t i = 0; i < std::min(plain.sent.size(), close_look.sent.size()); ++i) {
    EXPECT_EQ(plain.sent[i].header.type, close_look.sent[i].header.type);
    EXPECT_EQ(plain.sent[i].header.call, close_look.sent[i].header.call);
    EXPECT_EQ(plain.sent[i].header.number, close_look.sent[i].header.number);
    EXPECT_EQ(plain.sent[i].message, close_look.sent[i].message);
    EXPECT_EQ(plain.sent[i].status_message, close_look.sent[i].status_message);
  }
  return plain;
}

/// Call 1 has defined "a/b" as method id 1, and is over.
Setting server(LoneSession::OnCall on_call = LoneSession::OnCall::echo) {
  Setting setting{.on_call = on_call};
  setting.prepare = [](LoneSession& lone) { lone.feed({kit::call(1, 1, "a/b", "first")}); };
  return setting;
}

/// Calls 1 and 2 are open.
Setting client() {
  Setting setting{.role = Role::client};
  setting.prepare = [](LoneSession& lone) {
    for (CallId id = 1; id <= 2; ++id) {
      ASSERT_TRUE(
          lone.session().start({.method = {1, "a/b"}, .context = lone.context_of(id)}, kit::payload("x")).is_ok());
    }
  };
  return setting;
}

TEST(FastPath, CallIsTheSame) {
  const Outcome echoed = expect_the_same(server(), kit::call(2, 1, {}, "text"));
  ASSERT_EQ(echoed.sent.size(), 1u);
  EXPECT_EQ(echoed.sent[0].message, "text");

  const Outcome kept = expect_the_same(server(LoneSession::OnCall::attach), kit::call(2, 1, {}, "text"));
  ASSERT_EQ(kept.events.size(), 1u);
  EXPECT_EQ(kept.events[0].payload, "text");
  EXPECT_EQ(kept.events[0].method, "a/b");

  expect_the_same(server(LoneSession::OnCall::ignore), kit::call(2, 1, {}, "text"));
  expect_the_same(server(), kit::call(2, 1, {}, ""));
}

TEST(FastPath, CallAtALimitIsTheSame) {
  for (const std::size_t size : {999u, 1000u, 1001u}) {
    SCOPED_TRACE(size);
    const FrameSpec call = kit::call(2, 1, {}, std::string(size, 'x'));
    Setting by_credit = server();
    by_credit.options.limits.call_credit_bytes = 1000;
    EXPECT_EQ(expect_the_same(by_credit, call).is_closed, size > 1000);
    Setting by_message = server();
    by_message.options.limits.max_message_bytes = 1000;
    const Outcome outcome = expect_the_same(by_message, call);
    ASSERT_EQ(outcome.sent.size(), 1u);
    EXPECT_EQ(outcome.sent[0].header.number != 0, size > 1000);
  }
}

TEST(FastPath, CallBeyondTheMaximumIsTheSame) {
  Setting setting = server(LoneSession::OnCall::attach);
  setting.options.max_concurrent_calls = 1;

  const Outcome outcome = expect_the_same(setting, kit::call(2, 1, {}, "text"));

  ASSERT_EQ(outcome.sent.size(), 1u);
  EXPECT_EQ(outcome.sent[0].header.number, static_cast<std::uint32_t>(StatusCode::resource_exhausted));
}

TEST(FastPath, CallWithAnyIdIsTheSame) {
  for (const CallId id : {1u, 2u, 77u, 0x7FFFFFFFu, 0x80000001u, 0x80000002u, 0xFFFFFFFFu}) {
    SCOPED_TRACE(id);
    EXPECT_EQ(expect_the_same(server(), kit::call(id, 1, {}, "text")).is_closed, id == 1 || id >= 0x80000001u);
  }
}

TEST(FastPath, CallAfterTheIdsHaveWrappedIsTheSame) {
  Setting setting = server(LoneSession::OnCall::attach);
  setting.prepare = [](LoneSession& lone) {
    for (const CallId id : {1u, 0x70000000u, 0xE0000000u, 2u}) lone.feed({kit::call(id, 1, id == 1 ? "a/b" : "", "x")});
  };

  EXPECT_FALSE(expect_the_same(setting, kit::call(3, 1, {}, "text")).is_closed);
  EXPECT_TRUE(expect_the_same(setting, kit::call(0x70000000u, 1, {}, "text")).is_closed);
}

TEST(FastPath, CallOfAnyMethodNumberIsTheSame) {
  for (const std::uint32_t number : {2u, 4096u, 0xFFFFFFFFu}) {
    SCOPED_TRACE(number);
    EXPECT_TRUE(expect_the_same(server(), kit::call(2, number, {}, "text")).is_closed);
  }
}

TEST(FastPath, CallInAnyCodecAndCompressorIsTheSame) {
  for (int codec = 0; codec < 256; ++codec) {
    for (const std::uint8_t compressor : {0, 1, 2, 255}) {
      if (codec == 0 && compressor != 0) continue;  // breaks the frame's own rules
      SCOPED_TRACE(std::to_string(codec) + " " + std::to_string(compressor));
      Setting setting = server();
      setting.hello.codecs = {"bytes", "strange"};
      setting.hello.compressors = {"snappy"};
      FrameSpec call = kit::call(2, 1, {}, codec == 0 ? "" : "text");
      call.codec = static_cast<std::uint8_t>(codec);
      call.compressor = compressor;
      const Outcome outcome = expect_the_same(setting, call);
      EXPECT_EQ(outcome.is_closed, codec > 2 || compressor > 1);
    }
  }
}

TEST(FastPath, CallWithOtherFlagsIsTheSame) {
  for (const std::uint8_t flags : {wire::flag::message, std::uint8_t{wire::flag::message | wire::flag::end},
                                   std::uint8_t{wire::flag::message | wire::flag::end | wire::flag::one_way}}) {
    SCOPED_TRACE(flags);
    FrameSpec call = kit::call(2, 1, {}, "text");
    call.flags = flags;
    expect_the_same(server(LoneSession::OnCall::attach), call);
  }
}

TEST(FastPath, CallWhileDrainingIsTheSame) {
  Setting setting = server(LoneSession::OnCall::attach);
  const auto before = setting.prepare;
  setting.prepare = [before](LoneSession& lone) {
    before(lone);
    lone.session().drain();
  };

  const Outcome outcome = expect_the_same(setting, kit::call(2, 1, {}, "text"));

  EXPECT_TRUE(outcome.events.empty());
}

TEST(FastPath, CallOfAnOrderedConnectionIsTheSame) {
  for (const auto on_call : {LoneSession::OnCall::attach, LoneSession::OnCall::echo}) {
    Setting setting = server(on_call);
    setting.hello.ordered = true;
    expect_the_same(setting, kit::call(2, 1, {}, "text"));
    setting.options.max_concurrent_calls = 1;
    expect_the_same(setting, kit::call(2, 1, {}, "text"));
  }
}

TEST(FastPath, ResponseIsTheSame) {
  const Outcome outcome = expect_the_same(client(), kit::finish(1, "text"));
  ASSERT_EQ(outcome.events.size(), 1u);
  EXPECT_EQ(outcome.events[0].type, EventType::finished);
  EXPECT_EQ(outcome.events[0].payload, "text");

  expect_the_same(client(), kit::finish(2, ""));
  EXPECT_TRUE(expect_the_same(client(), kit::finish(3, "of no call")).is_closed);
}

TEST(FastPath, ResponseAtALimitIsTheSame) {
  for (const std::size_t size : {999u, 1000u, 1001u}) {
    SCOPED_TRACE(size);
    const FrameSpec response = kit::finish(1, std::string(size, 'x'));
    Setting by_credit = client();
    by_credit.options.limits.call_credit_bytes = 1000;
    EXPECT_EQ(expect_the_same(by_credit, response).is_closed, size > 1000);
    Setting by_message = client();
    by_message.options.limits.max_message_bytes = 1000;
    const Outcome outcome = expect_the_same(by_message, response);
    ASSERT_EQ(outcome.events.size(), 1u);
    EXPECT_EQ(outcome.events[0].status.is_ok(), size <= 1000);
  }
}

TEST(FastPath, ResponseToAFinishedCallIsTheSame) {
  Setting cancelled = client();
  cancelled.prepare = [before = cancelled.prepare](LoneSession& lone) {
    before(lone);
    lone.session().cancel(1, StatusCode::cancelled);
  };
  EXPECT_TRUE(expect_the_same(cancelled, kit::finish(1, "late")).events.empty());

  Setting finished = client();
  finished.prepare = [before = finished.prepare](LoneSession& lone) {
    before(lone);
    lone.feed({kit::finish(1, "once")});
  };
  EXPECT_TRUE(expect_the_same(finished, kit::finish(1, "twice")).events.empty());
}

TEST(FastPath, ResponseAmidAMessageIsTheSame) {
  Setting setting = client();
  setting.prepare = [before = setting.prepare](LoneSession& lone) {
    before(lone);
    FrameSpec chunk = kit::message(1, "half", wire::flag::more);
    chunk.message_bytes = 8;
    lone.feed({chunk});
  };

  expect_the_same(setting, kit::finish(1, "rest"));
  FrameSpec rest = kit::finish(1, "rest");
  rest.codec = 0;
  const Outcome outcome = expect_the_same(setting, rest);
  ASSERT_EQ(outcome.events.size(), 1u);
  EXPECT_EQ(outcome.events[0].payload, "halfrest");
}

TEST(FastPath, ResponseInAnyCodecIsTheSame) {
  for (const std::uint8_t codec : {1, 2, 3, 255}) {
    SCOPED_TRACE(int{codec});
    Setting setting = client();
    setting.hello.codecs = {"bytes", "strange"};
    FrameSpec response = kit::finish(1, "text");
    response.codec = codec;
    EXPECT_EQ(expect_the_same(setting, response).is_closed, codec > 2);
  }
}

TEST(QuietFrames, LeaveTheTurnToTheLayerAboveNowAndThen) {
  LoneSession lone(Role::server);
  lone.greet();
  std::string pings;
  for (int i = 0; i < 1500; ++i) pings += kit::ping().bytes();

  lone.feed(pings);

  const auto events = lone.events();
  EXPECT_EQ(lone.sent_frames().size(), 1500u);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].type, EventType::pause);
  EXPECT_EQ(events[1].type, EventType::pause);
}

}  // namespace
}  // namespace trunkline::session::native
