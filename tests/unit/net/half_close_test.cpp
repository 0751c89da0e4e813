// SPDX-License-Identifier: MIT
// Peers that close their side and still read, and peers that never close it.
#include "connection_fixture.h"

namespace trunkline::net {
namespace {

using namespace std::chrono_literals;

class HalfClose : public ConnectionTest {
 protected:
  /// The peer reads nothing until read_all().
  void start_with_output(std::size_t bytes) {
    start({}, {.buffer_bytes = 16});
    peer_->transport().set_observer(nullptr);
    session_->say(std::string(bytes, 'z'));
    connection_->flush_soon();
    settle(loop_);
    peer_->transport().shutdown_send();
    settle(loop_);
  }
  void read_all() {
    peer_->transport().set_observer(&*peer_);
    peer_->receive_all();
    settle(loop_);
  }
};

TEST_F(HalfClose, LosesNoOutputOfAServer) {
  options_.serves_half_closed = true;
  start_with_output(1000);
  EXPECT_EQ(session_->transport_ends().size(), 0u);

  read_all();

  EXPECT_EQ(peer_->received(), std::string(1000, 'z'));
  ASSERT_EQ(session_->transport_ends().size(), 1u);
  EXPECT_TRUE(session_->transport_ends()[0].is_ok());
  EXPECT_EQ(handler_.closed, 1);
}

TEST_F(HalfClose, WaitsForAPeerThatReadsSlowly) {
  options_.serves_half_closed = true;
  options_.linger_timeout = 1s;
  start_with_output(64);
  std::string read;
  for (int i = 0; i < 8; ++i) {
    advance(900ms);
    std::array<std::byte, 8> bytes;
    const MutableByteSpan room(bytes);
    const IoResult result = peer_->transport().read({&room, 1});
    ASSERT_EQ(result.state, IoState::ok);
    read += as_text(ByteSpan(bytes).first(result.bytes));
    settle(loop_);
  }

  EXPECT_EQ(read, std::string(64, 'z'));
}

TEST_F(HalfClose, GivesUpAPeerThatDoesNotRead) {
  options_.serves_half_closed = true;
  options_.linger_timeout = 1s;
  start_with_output(1000);
  advance(900ms);
  EXPECT_EQ(handler_.closed, 0);

  advance(200ms);

  EXPECT_EQ(handler_.closed, 1);
  EXPECT_EQ(session_->transport_ends().size(), 1u);
}

TEST_F(HalfClose, EndsAClientAtOnce) {
  start_with_output(1000);

  EXPECT_EQ(session_->transport_ends().size(), 1u);
}

TEST_F(HalfClose, IsAnsweredLaterIfAResponseIsOwed) {
  options_.serves_half_closed = true;
  options_.linger_timeout = 1s;
  start();
  session_->set_owes_response(true);
  peer_->transport().shutdown_send();
  settle(loop_);
  for (int second = 0; second < 60; ++second) advance(1s);
  const std::size_t ends_before = session_->transport_ends().size();
  const int looks = transport_->looks_for_peer;

  session_->set_owes_response(false);
  session_->say("response");
  session_->wake();
  settle(loop_);

  EXPECT_TRUE(session_->has_input_ended());
  EXPECT_EQ(ends_before, 0u);
  EXPECT_GE(looks, 2) << "the peer might have gone";
  EXPECT_EQ(peer_->received(), "response");
  ASSERT_EQ(session_->transport_ends().size(), 1u);
  EXPECT_TRUE(session_->transport_ends()[0].is_ok());
  EXPECT_EQ(handler_.closed, 1);
}

TEST_F(HalfClose, AsksThePeerAFewTimesAndOnlyIfTheResponseTakesLong) {
  options_.serves_half_closed = true;
  start();
  session_->set_owes_response(true);
  session_->question = "there?";
  peer_->transport().shutdown_send();
  settle(loop_);

  advance(200ms);
  const std::string early = peer_->received();
  advance(50ms);
  const std::string soon = peer_->received();
  for (int second = 0; second < 60; ++second) advance(1s);

  EXPECT_EQ(early, "");
  EXPECT_EQ(soon, "there?");
  EXPECT_EQ(peer_->received(), "there?there?there?there?") << "what stands between may have taken the first one";
  EXPECT_EQ(session_->transport_ends().size(), 0u);
}

TEST_F(HalfClose, EndsIfThePeerIsFoundGone) {
  options_.serves_half_closed = true;
  start();
  session_->set_owes_response(true);
  peer_->transport().shutdown_send();
  settle(loop_);
  const std::size_t ends_before = session_->transport_ends().size();

  advance(1s);
  transport_->is_gone = true;
  advance(1s);
  advance(1s);

  EXPECT_EQ(ends_before, 0u);
  ASSERT_EQ(session_->transport_ends().size(), 1u);
  EXPECT_EQ(session_->transport_ends()[0].code(), StatusCode::unavailable);
  EXPECT_EQ(handler_.closed, 1);
}

TEST_F(HalfClose, IsNoneIfThePeerHasClosedBothSides) {
  options_.serves_half_closed = true;
  start();
  session_->set_owes_response(true);

  peer_->destroy();
  settle(loop_);

  EXPECT_EQ(session_->transport_ends().size(), 1u);
  EXPECT_EQ(handler_.closed, 1);
}

TEST_F(HalfClose, GivesUpAPeerThatDoesNotReadItsLateResponse) {
  options_.serves_half_closed = true;
  options_.linger_timeout = 1s;
  start({}, {.buffer_bytes = 16});
  session_->set_owes_response(true);
  peer_->transport().set_observer(nullptr);
  peer_->transport().shutdown_send();
  settle(loop_);
  advance(30s);

  session_->say(std::string(1000, 'z'));
  session_->wake();
  settle(loop_);
  advance(900ms);
  const int closed_early = handler_.closed;
  advance(200ms);

  EXPECT_EQ(closed_early, 0);
  EXPECT_EQ(handler_.closed, 1);
}

TEST_F(HalfClose, IsNotWaitedForOnceEverythingIsDelivered) {
  options_.linger_timeout = 10s;
  start();
  session_->say("goodbye");
  connection_->close_when_delivered();
  connection_->close(Status());
  settle(loop_);
  EXPECT_EQ(handler_.closed, 0) << "most peers close within a moment";

  advance(50ms);

  EXPECT_EQ(handler_.closed, 1);
  EXPECT_EQ(peer_->received(), "goodbye");
}

}  // namespace
}  // namespace trunkline::net
