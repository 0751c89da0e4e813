// SPDX-License-Identifier: MIT
// How a connection ends: by either side, by an error, inside a handler.
#include "connection_fixture.h"

#include <gmock/gmock.h>

namespace trunkline::net {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(ConnectionTest, CloseWritesTheOutputAndWaitsForThePeer) {
  start();
  session_->say("goodbye");

  connection_->close(Status(StatusCode::unavailable, "enough"));
  settle(loop_);

  EXPECT_EQ(peer_->received(), "goodbye");
  EXPECT_TRUE(peer_->is_ended());
  EXPECT_EQ(transport_->shutdowns, 1);
  EXPECT_EQ(handler_.closed_events, 1);
  EXPECT_EQ(handler_.closed, 0) << "the peer has not closed yet";

  peer_->destroy();
  settle(loop_);
  EXPECT_EQ(handler_.closed, 1);
  EXPECT_EQ(handler_.reason.message(), "enough");
}

TEST_F(ConnectionTest, DiscardsInputAfterClose) {
  start();
  connection_->close(Status());
  settle(loop_);

  peer_->send("too late");
  settle(loop_);

  EXPECT_EQ(session_->input(), "");
  EXPECT_FALSE(session_->was_fed_after_close());
}

TEST_F(ConnectionTest, LingersForALimitedTime) {
  options_.linger_timeout = 1s;
  start();
  connection_->close(Status());
  settle(loop_);
  advance(900ms);
  EXPECT_EQ(handler_.closed, 0);

  advance(200ms);

  EXPECT_EQ(handler_.closed, 1);
}

TEST_F(ConnectionTest, LingersForALimitedTimeWithStuckOutput) {
  start({}, {.buffer_bytes = 16});
  peer_->transport().set_observer(nullptr);
  session_->say(std::string(100, 'z'));
  connection_->close(Status());
  settle(loop_);
  EXPECT_EQ(handler_.closed, 0);

  advance(2s);

  EXPECT_EQ(handler_.closed, 1);
}

TEST_F(ConnectionTest, LingersAsLongAsOutputIsTaken) {
  options_.linger_timeout = 1s;
  start({}, {.buffer_bytes = 16});
  peer_->transport().set_observer(nullptr);
  const std::string answer(100, 'z');
  session_->say(answer);
  connection_->close(Status());
  settle(loop_);
  std::string received;
  for (int round = 0; round < 20 && received.size() < answer.size(); ++round) {
    advance(900ms);
    std::array<std::byte, 16> piece;
    const MutableByteSpan room(piece);
    const IoResult result = peer_->transport().read({&room, 1});
    received += as_text(ByteSpan(piece).first(result.bytes));
    settle(loop_);
  }

  EXPECT_EQ(received, answer);
  EXPECT_EQ(transport_->shutdowns, 1);
  EXPECT_EQ(handler_.closed, 0) << "the peer has the whole time to close its side";

  advance(1s);
  EXPECT_EQ(handler_.closed, 1);
}

TEST_F(ConnectionTest, CloseInsideAnEventTakesEffectAfterIt) {
  start();
  handler_.on_message = [this](const std::string&) {
    session_->say("last");
    connection_->close(Status(StatusCode::internal, "seen enough"));
    connection_->close(Status(StatusCode::internal, "again"));
  };

  peer_->send("x");
  settle(loop_);
  peer_->transport().close();
  settle(loop_);

  EXPECT_EQ(peer_->received(), "last");
  EXPECT_EQ(handler_.closed, 1);
  EXPECT_EQ(handler_.reason.message(), "seen enough");
}

TEST_F(ConnectionTest, EndOfStreamEndsTheSessionOnce) {
  start();

  peer_->transport().shutdown_send();
  settle(loop_);

  EXPECT_THAT(session_->transport_ends(), ElementsAre(Status()));
  EXPECT_EQ(handler_.closed_events, 1);
  EXPECT_EQ(handler_.closed, 1);
}

TEST_F(ConnectionTest, DeliversBytesThatPrecedeTheEnd) {
  start();
  std::string seen;
  handler_.on_message = [&](const std::string& text) { seen += text; };

  peer_->send("last request");
  peer_->transport().shutdown_send();
  settle(loop_);

  EXPECT_EQ(seen, "last request");
  EXPECT_EQ(handler_.closed, 1);
}

TEST_F(ConnectionTest, RespondsOnAHalfClosedStreamBeforeItCloses) {
  start();
  echo();

  peer_->send("question");
  peer_->transport().shutdown_send();
  settle(loop_);

  EXPECT_EQ(peer_->received(), "question");
  EXPECT_EQ(handler_.closed, 1);
}

TEST_F(ConnectionTest, FailedWriteEndsTheSessionWithItsReason) {
  start();
  transport_->is_broken = true;
  session_->say("unheard");
  connection_->flush_soon();
  settle(loop_);
  EXPECT_EQ(handler_.closed, 0) << "the peer may have sent a reason";

  peer_->send("because");
  peer_->destroy();
  settle(loop_);

  EXPECT_EQ(session_->input(), "because");
  EXPECT_EQ(handler_.closed, 1);
  EXPECT_THAT(std::string(handler_.reason.message()), HasSubstr("broken pipe"));
}

TEST_F(ConnectionTest, FailedWriteEndsTheSessionAlthoughThePeerIsSilent) {
  start();
  transport_->is_broken = true;
  session_->say("unheard");
  connection_->flush_soon();
  settle(loop_);

  advance(2s);

  EXPECT_EQ(handler_.closed_events, 1);
  EXPECT_EQ(handler_.closed, 1);
}

TEST_F(ConnectionTest, FailedWriteEndsAServersSessionThatTakesNoInputUntilItHasWritten) {
  options_.serves_half_closed = true;
  start();
  session_->set_room(0, 0);
  transport_->is_broken = true;
  session_->say("unheard");
  connection_->flush_soon();
  peer_->send("unread");
  settle(loop_);

  EXPECT_EQ(handler_.closed, 1);
  EXPECT_THAT(std::string(handler_.reason.message()), HasSubstr("broken pipe"));
}

TEST_F(ConnectionTest, ResetsTheTransportOfASessionThatHasBrokenOff) {
  start({}, {.buffer_bytes = 16});
  session_->say(std::string(1000, 'z'));
  session_->set_wants_reset();
  session_->end(Status());
  session_->wake();
  settle(loop_);

  EXPECT_EQ(transport_->resets, 1);
  EXPECT_EQ(transport_->shutdowns, 0);
  EXPECT_EQ(handler_.closed, 1);
}

TEST_F(ConnectionTest, OutputOfASessionThatEndsByItselfIsWritten) {
  start();
  handler_.on_message = [this](const std::string&) {
    session_->say("protocol error");
    session_->end(Status(StatusCode::internal, "breach"));
  };

  peer_->send("nonsense");
  settle(loop_);
  peer_->destroy();
  settle(loop_);

  EXPECT_EQ(handler_.closed, 1);
  EXPECT_EQ(handler_.reason.message(), "breach");
}

TEST_F(ConnectionTest, MayBeReleasedInItsLastCallback) {
  start();
  const std::weak_ptr<Connection> watched = connection_;
  handler_.when_closed = [this] { connection_.reset(); };

  peer_->destroy();
  settle(loop_);

  EXPECT_EQ(handler_.closed, 1);
  EXPECT_TRUE(watched.expired());
}

TEST_F(ConnectionTest, MayBeReleasedInsideAnEvent) {
  start();
  const std::weak_ptr<Connection> watched = connection_;
  handler_.on_message = [this](const std::string&) { connection_.reset(); };

  peer_->send("x");
  settle(loop_);

  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(handler_.closed, 0);
}

TEST_F(ConnectionTest, CallsNothingAfterTheEnd) {
  start();
  peer_->destroy();
  settle(loop_);
  const int turns = handler_.turns;

  connection_->flush_soon();
  connection_->close(Status());
  session_->wake();
  advance(1h);

  EXPECT_EQ(handler_.turns, turns);
  EXPECT_EQ(handler_.closed, 1);
}

}  // namespace
}  // namespace trunkline::net
