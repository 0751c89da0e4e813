// SPDX-License-Identifier: MIT
// Ordered connections: the layer above finishes the calls that the session refuses or breaks off, in their turn.
#include "kit/lone_session.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

using kit::FrameSpec;
using kit::LoneSession;
using kit::SeenEvent;
using namespace std::chrono_literals;
namespace flag = wire::flag;

/// Call 1 runs; the refused calls come after it.
class OrderedSession : public testing::Test {
 protected:
  explicit OrderedSession(const SessionOptions& options = kit::plain_options()) : lone_(Role::server, options) {
    wire::Hello hello;
    hello.codecs = {"bytes", "morse"};
    hello.ordered = true;
    lone_.greet(hello);
    lone_.feed({kit::call(1, 1, "a/b", "x")});
    static_cast<void>(lone_.events());
  }

  static FrameSpec of_unknown_codec(CallId id) {
    FrameSpec frame = kit::call(id, 1, {}, "x");
    frame.codec = 2;
    return frame;
  }
  static FrameSpec first_chunk(CallId id, std::uint64_t total) {
    FrameSpec frame = kit::call(id, 1, {}, "abc");
    frame.flags = flag::message | flag::more;
    frame.message_bytes = total;
    return frame;
  }
  static FrameSpec chunk(CallId id, std::string_view bytes, std::uint8_t flags) {
    FrameSpec frame = kit::message(id, bytes, flags);
    frame.codec = 0;
    return frame;
  }
  /// The only event. The session has sent nothing but credit.
  SeenEvent only_event() {
    const auto events = lone_.events();
    EXPECT_EQ(events.size(), 1u);
    for (const auto& frame : lone_.sent_frames()) EXPECT_TRUE(frame.is(wire::FrameType::credit));
    return events.empty() ? SeenEvent{} : events[0];
  }
  void expect_refused_call(const SeenEvent& event, CallId id, StatusCode code) {
    EXPECT_EQ(event.type, EventType::call);
    EXPECT_EQ(event.id, id);
    EXPECT_EQ(event.method, "a/b");
    EXPECT_FALSE(event.has_message);
    EXPECT_EQ(event.status.code(), code) << event.status.to_string();
  }
  void expect_finished(CallId id, StatusCode code) {
    const auto sent = lone_.sent_frames();
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_TRUE(sent[0].is(wire::FrameType::finish));
    EXPECT_EQ(sent[0].header.call, id);
    EXPECT_EQ(sent[0].header.number, static_cast<std::uint32_t>(code));
  }
  Status finish(CallId id, const Status& status = {}) {
    return lone_.session().finish(id, status, {}, nullptr, !status.is_ok());
  }

  LoneSession lone_;
};

TEST_F(OrderedSession, HandsOutARefusedCall) {
  lone_.feed({of_unknown_codec(2)});

  const SeenEvent refused = only_event();
  expect_refused_call(refused, 2, StatusCode::unimplemented);
  static_cast<void>(finish(1));
  expect_finished(1, StatusCode::ok);
  static_cast<void>(finish(2, refused.status));
  expect_finished(2, StatusCode::unimplemented);
  EXPECT_EQ(lone_.session().open_calls(), 0u);
}

TEST_F(OrderedSession, FinishesARefusedCallThatIsAbandoned) {
  lone_.on_call = LoneSession::OnCall::ignore;

  lone_.feed({of_unknown_codec(2)});

  static_cast<void>(lone_.events());
  expect_finished(2, StatusCode::unimplemented);
}

TEST_F(OrderedSession, HandsOutACallWhoseDeadlineHadPassed) {
  FrameSpec late = kit::call(2, 1, {}, "x");
  late.timeout_us = 0;

  lone_.feed({late});

  expect_refused_call(only_event(), 2, StatusCode::deadline_exceeded);
}

TEST_F(OrderedSession, HandsOutACallWithTooLongAMessageAndDiscardsTheRest) {
  lone_.feed({first_chunk(2, std::uint64_t{1} << 40), chunk(2, "def", flag::more)});

  expect_refused_call(only_event(), 2, StatusCode::resource_exhausted);
  lone_.feed({chunk(2, "ghi", flag::end), kit::call(3, 1, {}, "y")});
  EXPECT_EQ(only_event().id, 3u);
}

TEST_F(OrderedSession, HandsOutACallWhoseChunksDoNotAddUp) {
  lone_.feed({first_chunk(2, 10), chunk(2, "de", flag::end)});

  expect_refused_call(only_event(), 2, StatusCode::internal);
}

TEST_F(OrderedSession, HandsOutAnUnfinishedCallWhoseDeadlinePasses) {
  FrameSpec slow = first_chunk(2, 10);
  slow.timeout_us = 1000;
  slow.metadata = Metadata{{"k", "v"}};
  lone_.feed({slow});
  EXPECT_TRUE(lone_.events().empty());

  lone_.advance(1s);

  const SeenEvent refused = only_event();
  expect_refused_call(refused, 2, StatusCode::deadline_exceeded);
  EXPECT_EQ(refused.metadata.get("k"), "v");
  lone_.feed({chunk(2, "defghij", flag::end)});
  EXPECT_TRUE(lone_.events().empty());
  static_cast<void>(finish(2, refused.status));
  expect_finished(2, StatusCode::deadline_exceeded);
}

TEST_F(OrderedSession, ReportsADeadlineWithoutFinishingTheCall) {
  FrameSpec call = kit::call(2, 1, {}, "x");
  call.timeout_us = 1000;
  lone_.feed({call});
  static_cast<void>(lone_.events());

  lone_.advance(1s);

  const SeenEvent event = only_event();
  EXPECT_EQ(event.type, EventType::cancelled);
  EXPECT_TRUE(event.needs_finish);
  EXPECT_EQ(event.context, lone_.context_of(2));
  EXPECT_EQ(lone_.session().open_calls(), 2u);
  EXPECT_FALSE(lone_.session().send(2, kit::payload("z"), nullptr, false).is_ok());
  static_cast<void>(finish(2, event.status));
  expect_finished(2, StatusCode::deadline_exceeded);
}

TEST_F(OrderedSession, ReportsABrokenMessageWithoutFinishingTheCall) {
  FrameSpec stream = kit::call(2, 1);
  stream.flags = 0;
  stream.codec = 0;
  lone_.feed({stream});
  static_cast<void>(lone_.events());

  FrameSpec broken = kit::message(2, "x");
  broken.codec = 2;
  lone_.feed({broken, kit::message(2, "discarded")});

  const SeenEvent event = only_event();
  EXPECT_EQ(event.type, EventType::cancelled);
  EXPECT_TRUE(event.needs_finish);
  EXPECT_EQ(event.status.code(), StatusCode::unimplemented);
}

/// A stream with more messages than the client reads.
class OrderedSessionOfASlowReader : public OrderedSession {
 protected:
  OrderedSessionOfASlowReader() {
    static_cast<void>(finish(1));
    FrameSpec stream = kit::call(2, 1);
    stream.flags = 0;
    stream.codec = 0;
    stream.timeout_us = 1000000;
    lone_.feed({stream});
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(lone_.session().send(2, kit::payload(std::string(40000, 'x')), nullptr, false).is_ok());
    static_cast<void>(lone_.events());
    static_cast<void>(lone_.sent_frames());
    EXPECT_GT(lone_.session().unsent_bytes(), 0u);
  }
  void expect_end(StatusCode code) {
    const SeenEvent event = only_event();
    EXPECT_TRUE(event.needs_finish);
    EXPECT_EQ(event.status.code(), code);
    static_cast<void>(finish(2, event.status));
    expect_finished(2, code);
    EXPECT_EQ(lone_.session().open_calls(), 0u);
    lone_.session().drain();
    static_cast<void>(lone_.sent_frames());
    EXPECT_TRUE(lone_.session().is_drained());
  }
};

TEST_F(OrderedSessionOfASlowReader, EndsACallAtItsDeadlineWithoutWaitingForCredit) {
  lone_.advance(2s);

  expect_end(StatusCode::deadline_exceeded);
}

TEST_F(OrderedSessionOfASlowReader, EndsABrokenCallWithoutWaitingForCredit) {
  FrameSpec broken = kit::message(2, "x");
  broken.codec = 2;

  lone_.feed({broken});

  expect_end(StatusCode::unimplemented);
}

TEST_F(OrderedSession, ReturnsTheCreditOfARefusedStream) {
  FrameSpec stream = kit::call(2, 1, {}, std::string(40000, 'x'));
  stream.codec = 2;
  stream.flags = flag::message;

  lone_.feed({stream});

  EXPECT_EQ(lone_.events().size(), 1u);
  std::uint64_t granted = 0;
  for (const auto& frame : lone_.sent_frames()) {
    if (frame.is(wire::FrameType::credit) && frame.header.call == 2) granted += frame.header.number;
  }
  EXPECT_EQ(granted, 40000u);
}

TEST_F(OrderedSession, PlacesACallWhenItsMessageIsComplete) {
  lone_.feed({first_chunk(2, 6), kit::call(3, 1, {}, "y")});
  EXPECT_EQ(only_event().id, 3u);

  lone_.feed({chunk(2, "def", flag::end)});

  EXPECT_EQ(only_event().id, 2u);
}

TEST_F(OrderedSession, ForgetsARefusedCallThatIsCancelled) {
  lone_.feed({of_unknown_codec(2)});
  static_cast<void>(only_event());

  lone_.feed({kit::cancel(2)});

  const SeenEvent gone = only_event();
  EXPECT_EQ(gone.type, EventType::cancelled);
  EXPECT_FALSE(gone.needs_finish);
  EXPECT_EQ(lone_.session().open_calls(), 1u);
}

TEST_F(OrderedSession, DropsARefusedOneWayCall) {
  FrameSpec call = of_unknown_codec(2);
  call.flags |= flag::one_way;

  lone_.feed({call});

  EXPECT_TRUE(lone_.events().empty());
  EXPECT_TRUE(lone_.sent_frames().empty());
}

class FullOrderedSession : public OrderedSession {
 protected:
  static SessionOptions one_call() {
    SessionOptions options = kit::plain_options();
    options.max_concurrent_calls = 1;
    return options;
  }
  FullOrderedSession() : OrderedSession(one_call()) {}
};

TEST_F(FullOrderedSession, RetainsAsManyRefusedCallsAsAClientMayHave) {
  for (CallId id = 2; id < 130; ++id) lone_.feed({kit::call(id, 1)});
  const auto refused = lone_.events();
  ASSERT_EQ(refused.size(), 128u);
  expect_refused_call(refused.back(), 129, StatusCode::resource_exhausted);
  EXPECT_TRUE(lone_.sent_frames().empty());

  lone_.feed({kit::call(130, 1)});

  EXPECT_EQ(lone_.session().close_reason().message(),
            "receive call: 128 calls were refused and wait for their turn, max_concurrent_calls is 128");
  EXPECT_EQ(lone_.sent_frames().back().header.number, 8u);
}

TEST_F(FullOrderedSession, CountsOnlyThoseThatWait) {
  for (CallId id = 2; id < 1000; ++id) {
    lone_.feed({kit::call(id, 1)});
    const SeenEvent refused = only_event();
    static_cast<void>(finish(id, refused.status));
    expect_finished(id, StatusCode::resource_exhausted);
  }

  EXPECT_FALSE(lone_.session().is_closed());
}

}  // namespace
}  // namespace trunkline::session::native
