// SPDX-License-Identifier: MIT
// Connection: when it reads and writes, and what.
#include "connection_fixture.h"

#include <gmock/gmock.h>

namespace trunkline::net {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST_F(ConnectionTest, RespondsBeforeItWaitsForMore) {
  start();
  echo();

  peer_->send("question");
  settle(loop_);

  EXPECT_EQ(peer_->received(), "question");
  EXPECT_EQ(transport_->writes_before_wait, 1);
}

TEST_F(ConnectionTest, HandlesABatchWithOneReadAndOneWrite) {
  start();
  echo();

  peer_->send("several requests in one piece");
  settle(loop_);

  EXPECT_EQ(peer_->received(), "several requests in one piece");
  EXPECT_EQ(transport_->reads, 1);
  EXPECT_EQ(transport_->writes, 1);
  EXPECT_EQ(handler_.turns, 1);
}

TEST_F(ConnectionTest, TellsWhenInputThatWasSeenHasBeenTaken) {
  start();
  int taken_at_message = -1;
  handler_.on_message = [&](const std::string&) { taken_at_message = handler_.inputs_taken; };
  clock_.advance(1ms);
  peer_->send("unread");
  transport_->holds_input = true;

  const bool is_unread = connection_->has_unread(loop_.now());
  settle(loop_);
  const bool is_unread_later = connection_->has_unread(loop_.now());

  EXPECT_TRUE(is_unread);
  EXPECT_EQ(taken_at_message, 0);
  EXPECT_EQ(handler_.inputs_taken, 1);
  EXPECT_FALSE(is_unread_later) << "it has just been read";
}

TEST_F(ConnectionTest, TellsOfInputOnlyIfItWasAskedForIt) {
  start();
  echo();

  peer_->send("question");
  settle(loop_);

  EXPECT_EQ(transport_->looks_for_input, 0);
  EXPECT_EQ(handler_.inputs_taken, 0);
}

TEST_F(ConnectionTest, CallsInQuickSuccessionShareALookForInput) {
  start();
  clock_.advance(1ms);

  for (int call = 0; call < 10; ++call) EXPECT_FALSE(connection_->has_unread(loop_.now()));
  const int looks = transport_->looks_for_input;
  clock_.advance(1ms);
  static_cast<void>(connection_->has_unread(loop_.now()));

  EXPECT_EQ(looks, 1);
  EXPECT_EQ(transport_->looks_for_input, 2);
}

TEST_F(ConnectionTest, ReadsTheEndBehindTheBytesThatWereSeen) {
  start();
  clock_.advance(1ms);
  peer_->send("last words");
  peer_->transport().shutdown_send();
  transport_->holds_input = true;

  const bool is_unread = connection_->has_unread(loop_.now());
  settle(loop_);

  EXPECT_TRUE(is_unread);
  EXPECT_EQ(session_->input(), "last words");
  EXPECT_EQ(handler_.closed_events, 1);
  EXPECT_EQ(handler_.inputs_taken, 0) << "nothing can be written any more";
}

TEST_F(ConnectionTest, ReceivesTheFirstBytesThatWereReadBefore) {
  std::string seen;
  handler_.on_message = [&](const std::string& text) { seen += text; };

  start("preface and more");

  EXPECT_EQ(seen, "preface and more");
}

TEST_F(ConnectionTest, FirstBytesMayBeLongerThanTheSessionsRoom) {
  start(std::string(20000, 'x'));

  EXPECT_EQ(session_->input(), std::string(20000, 'x'));
  EXPECT_THAT(session_->pieces(), ElementsAre(8192, 8192, 3616));
}

TEST_F(ConnectionTest, ReadsOnWhileTheBufferIsFilled) {
  start();
  session_->set_room(2, 1);

  peer_->send("abcdefgh");
  settle(loop_);

  EXPECT_EQ(session_->input(), "abcdefgh");
  EXPECT_THAT(session_->pieces(), ElementsAre(3, 3, 2));
}

TEST_F(ConnectionTest, YieldsAfterAFewFullReads) {
  start();
  session_->set_room(1, 0);
  std::string at_first_turn;
  peer_->send("0123456789");
  loop_.post([&] { loop_.post([&] { at_first_turn = session_->input(); }); });

  settle(loop_);

  EXPECT_EQ(session_->input(), "0123456789");
  EXPECT_LT(at_first_turn.size(), 10U) << "read everything in one turn";
}

TEST_F(ConnectionTest, ReadsAgainOnceTheSessionHasRoom) {
  start();
  session_->set_room(0, 0);
  peer_->send("patience");
  settle(loop_);
  EXPECT_EQ(session_->input(), "");

  session_->set_room(100, 0);
  session_->wake();
  settle(loop_);

  EXPECT_EQ(session_->input(), "patience");
}

TEST_F(ConnectionTest, WritesTheRestWhenTheTransportTakesMore) {
  start({}, {.buffer_bytes = 10});
  const std::string text(1000, 'y');

  session_->say(text);
  connection_->flush_soon();
  settle(loop_);

  EXPECT_EQ(peer_->received(), text);
}

TEST_F(ConnectionTest, DelaysTheNextWriteUntilTheTransportIsWritable) {
  start({}, {.buffer_bytes = 10});
  transport_->longest_write = 3;
  session_->say("abcdef");

  connection_->flush_soon();
  loop_.poll();
  connection_->flush_soon();

  settle(loop_);
  EXPECT_EQ(peer_->received(), "abcdef");
}

TEST_F(ConnectionTest, ReadsWhileOutputIsStuck) {
  start({}, {.buffer_bytes = 16});
  auto& far = peer_->transport();
  peer_->receive_all();
  // The peer does not read.
  far.set_observer(nullptr);
  session_->say(std::string(100, 'z'));
  connection_->flush_soon();
  settle(loop_);
  ASSERT_TRUE(session_->has_output());

  const std::string_view text = "still heard";
  const ByteSpan span = as_bytes(text);
  far.write({&span, 1});
  settle(loop_);

  EXPECT_EQ(session_->input(), "still heard");
}

TEST_F(ConnectionTest, ManyFlushesMakeOneWriteAtTheEndOfTheTurn) {
  start();
  loop_.post([this] {
    for (int i = 0; i < 5; ++i) {
      session_->say("x");
      connection_->flush_soon();
    }
    EXPECT_EQ(transport_->writes, 0);
  });

  settle(loop_);

  EXPECT_EQ(transport_->writes, 1);
  EXPECT_EQ(peer_->received(), "xxxxx");
}

TEST_F(ConnectionTest, FlushDelayWaitsForMore) {
  options_.flush_delay = 5ms;
  start();
  session_->say("early ");
  connection_->flush_soon();
  advance(2ms);
  EXPECT_EQ(transport_->writes, 0);
  session_->say("late");
  connection_->flush_soon();

  advance(4ms);

  EXPECT_EQ(transport_->writes, 1);
  EXPECT_EQ(peer_->received(), "early late");
}

TEST_F(ConnectionTest, FlushDelayDoesNotDelayResponses) {
  options_.flush_delay = 1h;
  start();
  echo();

  peer_->send("now");
  settle(loop_);

  EXPECT_EQ(peer_->received(), "now");
}

TEST_F(ConnectionTest, LargeOutputIsWrittenWithinTheBatch) {
  options_.write_buffer_bytes = 4;
  start();
  int writes_after_small = -1;
  int writes_after_large = -1;
  handler_.on_message = [&](const std::string&) {
    session_->say("abc");
    connection_->flush_if_large();
    writes_after_small = transport_->writes;
    session_->say("d");
    connection_->flush_if_large();
    writes_after_large = transport_->writes;
  };

  peer_->send("go");
  settle(loop_);

  EXPECT_EQ(writes_after_small, 0);
  EXPECT_EQ(writes_after_large, 1);
  EXPECT_EQ(peer_->received(), "abcd");
}

TEST_F(ConnectionTest, WakeOfTheSessionMakesATurn) {
  start();
  session_->say("from a timer");

  session_->wake();
  EXPECT_EQ(handler_.turns, 0) << "the handler has not returned";
  settle(loop_);

  EXPECT_EQ(handler_.turns, 1);
  EXPECT_EQ(peer_->received(), "from a timer");
}

TEST_F(ConnectionTest, FlushInsideAnEventAddsNoTurn) {
  start();
  handler_.on_message = [this](const std::string& text) {
    session_->say(text);
    connection_->flush_soon();
  };

  peer_->send("x");
  settle(loop_);

  EXPECT_EQ(handler_.turns, 1);
  EXPECT_EQ(transport_->writes, 1);
}

TEST_F(ConnectionTest, HandlerThatRunsTheLoopIsNotEnteredAgain) {
  start();
  handler_.on_message = [this](const std::string& text) {
    if (text != "first") return;
    peer_->send("second");
    session_->wake();
    settle(loop_);
    EXPECT_EQ(session_->input(), "first") << "read into a buffer that an event views";
  };

  peer_->send("first");
  settle(loop_);

  EXPECT_EQ(session_->input(), "firstsecond");
}

TEST_F(ConnectionTest, HandlerThatThrowsLeavesTheConnectionUsable) {
  start();
  handler_.on_message = [](const std::string&) { throw std::runtime_error("from the handler"); };
  peer_->send("x");
  EXPECT_THROW(settle(loop_), std::runtime_error);
  handler_.recover();
  echo();

  peer_->send("y");
  settle(loop_);

  EXPECT_EQ(peer_->received(), "y");
}

TEST_F(ConnectionTest, EventsBehindOneWhoseHandlerThrewAreHandled) {
  start();
  session_->set_room(1, 0);
  bool has_thrown = false;
  handler_.on_message = [&](const std::string& text) {
    if (!std::exchange(has_thrown, true)) throw std::runtime_error("from the handler");
    session_->say(text);
  };

  peer_->send("xyz");
  EXPECT_THROW(settle(loop_), std::runtime_error);
  handler_.recover();
  settle(loop_);

  EXPECT_EQ(peer_->received(), "yz");
}

}  // namespace
}  // namespace trunkline::net
