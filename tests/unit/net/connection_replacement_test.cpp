// SPDX-License-Identifier: MIT
// A running connection that is handed over to another session, over the memory transport and TCP.
#include "connected_pair.h"
#include "connection_fixture.h"

#include <gmock/gmock.h>

namespace trunkline::net {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class ConnectionReplacementTest : public ConnectionTest {
 protected:
  /// Makes the session that takes over. `greeting` is what it sends first.
  Connection::SessionFactory next(std::string greeting = {}) {
    return [this, greeting = std::move(greeting)](session::SessionOwner& owner) {
      auto made = std::make_unique<FakeSession>(owner);
      made->say(greeting);
      made->set_open(starts_open_);
      next_ = made.get();
      session_ = nullptr;
      return made;
    };
  }
  void replace(std::string_view unread, std::string greeting = {}) {
    connection_->replace_session(next(std::move(greeting)), as_bytes(unread));
  }
  /// Reads what the peer can, and lets the connection go on.
  std::string read_at_peer(std::size_t size) {
    std::string text(size, '\0');
    const MutableByteSpan room(reinterpret_cast<std::byte*>(text.data()), text.size());
    const IoResult result = peer_->transport().read({&room, 1});
    text.resize(result.bytes);
    settle(loop_);
    return text;
  }

  FakeSession* next_ = nullptr;
};

TEST_F(ConnectionReplacementTest, TheNewSessionReceivesTheUnreadBytesAndWhatFollows) {
  start();
  std::string seen;
  handler_.on_message = [&](const std::string& text) { seen += text; };

  replace("unread ");
  settle(loop_);
  ASSERT_NE(next_, nullptr);
  peer_->send("and more");
  settle(loop_);

  EXPECT_EQ(next_->input(), "unread and more");
  EXPECT_EQ(seen, "unread and more");
  EXPECT_EQ(&connection_->session(), next_);
  EXPECT_EQ(handler_.closed_events, 0);
}

TEST_F(ConnectionReplacementTest, WithoutUnreadBytesTheNewSessionReadsOn) {
  start();

  replace({});
  peer_->send("first");
  settle(loop_);

  ASSERT_NE(next_, nullptr);
  EXPECT_EQ(next_->input(), "first");
}

TEST_F(ConnectionReplacementTest, TheOutputOfTheOldSessionComesFirst) {
  start();
  session_->say("101 switching;");

  replace({}, "hello of the next");
  settle(loop_);

  EXPECT_EQ(peer_->received(), "101 switching;hello of the next");
}

TEST_F(ConnectionReplacementTest, InsideAnEventItTakesPlaceAfterTheHandler) {
  start();
  FakeSession* const old = session_;
  handler_.on_message = [&, old](const std::string& text) {
    if (next_ != nullptr) return;
    old->say("switching;");
    replace(text.substr(text.find('|') + 1), "hello");
    EXPECT_EQ(next_, nullptr);
    EXPECT_EQ(&connection_->session(), old);
  };

  peer_->send("upgrade|rest");
  settle(loop_);

  ASSERT_NE(next_, nullptr);
  EXPECT_EQ(next_->input(), "rest");
  EXPECT_EQ(peer_->received(), "switching;hello");
  peer_->send(" and more");
  settle(loop_);
  EXPECT_EQ(next_->input(), "rest and more");
}

TEST_F(ConnectionReplacementTest, WaitsUntilTheOutputIsWrittenAndReadsNothingUntilThen) {
  start({}, {.buffer_bytes = 8});
  peer_->transport().set_observer(nullptr);
  session_->say("0123456789abcdef");

  replace("unread ");
  settle(loop_);
  peer_->send("later");
  settle(loop_);
  EXPECT_EQ(next_, nullptr);
  EXPECT_EQ(session_->input(), "");

  EXPECT_EQ(read_at_peer(8), "01234567");
  EXPECT_EQ(read_at_peer(8), "89abcdef");
  ASSERT_NE(next_, nullptr);
  EXPECT_EQ(next_->input(), "unread later");
}

TEST_F(ConnectionReplacementTest, AlsoStopsReadingAfterAReadThatFilledTheBuffer) {
  start({}, {.buffer_bytes = 64});
  peer_->transport().set_observer(nullptr);
  session_->set_room(7, 0);
  session_->say(std::string(100, 'z'));
  handler_.on_message = [&](const std::string&) {
    if (next_ == nullptr) replace({});
  };

  peer_->send("upgraderest");
  settle(loop_);
  EXPECT_EQ(next_, nullptr);
  EXPECT_EQ(session_->input(), "upgrade");

  EXPECT_EQ(read_at_peer(64).size(), 64U);
  ASSERT_NE(next_, nullptr);
  EXPECT_EQ(next_->input(), "rest");
}

TEST_F(ConnectionReplacementTest, UnreadBytesWaitForRoomInTheSession) {
  start();
  connection_->replace_session(
      [this](session::SessionOwner& owner) {
        auto made = std::make_unique<FakeSession>(owner);
        made->set_room(0, 0);
        next_ = made.get();
        return made;
      },
      as_bytes("first, "));
  settle(loop_);
  peer_->send("second");
  settle(loop_);
  EXPECT_EQ(next_->input(), "");

  next_->set_room(3, 0);
  next_->wake();
  settle(loop_);

  EXPECT_EQ(next_->input(), "first, second");
  EXPECT_THAT(next_->pieces(), ElementsAre(3, 3, 1, 3, 3));
}

TEST_F(ConnectionReplacementTest, FirstBytesWaitForRoomToo) {
  auto [near, far] = make_memory_pair(loop_, loop_);
  peer_.emplace(std::move(far));
  connection_ = std::make_shared<Connection>(std::move(near), handler_, options_);
  connection_->start(
      [this](session::SessionOwner& owner) {
        auto made = std::make_unique<FakeSession>(owner);
        made->set_room(0, 0);
        session_ = made.get();
        return made;
      },
      as_bytes("first, "));
  peer_->send("second");
  settle(loop_);
  EXPECT_EQ(session_->input(), "");

  session_->set_room(4096, 0);
  session_->wake();
  settle(loop_);

  EXPECT_EQ(session_->input(), "first, second");
}

TEST_F(ConnectionReplacementTest, ASessionMayBeReplacedMoreThanOnce) {
  start();
  replace("one");
  settle(loop_);
  FakeSession* const second = next_;
  second->say("from the second;");

  replace("two", "from the third");
  settle(loop_);

  EXPECT_NE(next_, second);
  EXPECT_EQ(next_->input(), "two");
  EXPECT_EQ(peer_->received(), "from the second;from the third");
}

TEST_F(ConnectionReplacementTest, HasNoEffectOnAClosedSession) {
  start();
  connection_->close(Status(StatusCode::unavailable, "enough"));

  replace("unread");
  settle(loop_);

  EXPECT_EQ(next_, nullptr);
  EXPECT_EQ(handler_.reason.message(), "enough");
}

TEST_F(ConnectionReplacementTest, ASessionThatIsClosedFirstStays) {
  start({}, {.buffer_bytes = 4});
  peer_->transport().set_observer(nullptr);
  session_->say("stuck output");
  replace("unread");
  settle(loop_);

  connection_->close(Status(StatusCode::unavailable, "enough"));
  settle(loop_);
  for (int i = 0; i < 3; ++i) read_at_peer(4);

  EXPECT_EQ(next_, nullptr);
  EXPECT_EQ(handler_.closed_events, 1);
  EXPECT_EQ(handler_.reason.message(), "enough");
}

TEST_F(ConnectionReplacementTest, AWriteErrorEndsTheOldSession) {
  start();
  session_->say("never arrives");
  transport_->is_broken = true;

  replace("unread");
  settle(loop_);
  peer_->destroy();
  settle(loop_);

  EXPECT_EQ(next_, nullptr);
  EXPECT_EQ(handler_.closed, 1);
  EXPECT_THAT(std::string(handler_.reason.message()), HasSubstr("broken pipe"));
}

TEST_F(ConnectionReplacementTest, AnAbortEndsTheOldSession) {
  start({}, {.buffer_bytes = 4});
  peer_->transport().set_observer(nullptr);
  session_->say("stuck output");
  replace("unread");
  settle(loop_);

  connection_->abort(Status(StatusCode::unavailable, "dropped"));
  settle(loop_);

  EXPECT_EQ(next_, nullptr);
  EXPECT_EQ(session_->input(), "") << "the unread bytes were for the next session";
  EXPECT_EQ(handler_.closed, 1);
  EXPECT_EQ(handler_.reason.message(), "dropped");
}

TEST_F(ConnectionReplacementTest, AfterAnAbortNothingIsKeptForIt) {
  start();
  const auto kept = std::make_shared<int>();
  handler_.on_message = [&](const std::string&) {
    connection_->abort(Status(StatusCode::unavailable, "dropped"));
    connection_->replace_session([kept](session::SessionOwner& owner) { return std::make_unique<FakeSession>(owner); },
                                 as_bytes("unread"));
  };

  peer_->send("upgrade");
  settle(loop_);

  EXPECT_EQ(handler_.closed, 1);
  EXPECT_EQ(kept.use_count(), 1);
}

TEST_F(ConnectionReplacementTest, NoEventsAreTakenFromASessionThatIsToBeReplaced) {
  start({}, {.buffer_bytes = 4});
  peer_->transport().set_observer(nullptr);
  session_->say("stuck output");
  const bool takes_before = connection_->takes_events();

  replace({});
  settle(loop_);
  const bool takes_meanwhile = connection_->takes_events();
  for (int i = 0; i < 3; ++i) read_at_peer(4);

  EXPECT_TRUE(takes_before);
  EXPECT_FALSE(takes_meanwhile);
  ASSERT_NE(next_, nullptr);
  EXPECT_TRUE(connection_->takes_events());
}

TEST_F(ConnectionReplacementTest, TheEndOfTheStreamIsForTheNewSession) {
  start();
  replace("unread");
  peer_->destroy();
  settle(loop_);

  ASSERT_EQ(handler_.closed, 1);
  EXPECT_EQ(handler_.closed_events, 1);
}

TEST_F(ConnectionReplacementTest, TheHandshakeOfTheNewSessionIsTimedToo) {
  options_.handshake_timeout = 5s;
  start();
  advance(1h);
  starts_open_ = false;
  replace({});
  settle(loop_);
  advance(4s);
  EXPECT_EQ(handler_.closed_events, 0);

  advance(1s);

  EXPECT_EQ(handler_.closed_events, 1);
  EXPECT_THAT(std::string(handler_.reason.message()), HasSubstr("handshake_timeout"));
}

/// A protocol of one word, "upgrade", followed by another that echoes.
TEST(ConnectionReplacement, WorksOverTcp) {
  Loop loop;
  ConnectedPair pair;
  ASSERT_NO_FATAL_FAILURE(pair.connect(loop, endpoint_of("tcp://127.0.0.1:0")));
  StreamPeer client(std::move(pair.client));
  client.receive_all();
  RecordingHandler handler;
  const auto connection = std::make_shared<Connection>(std::move(pair.server), handler, ConnectionOptions{});
  FakeSession* session = nullptr;
  const Connection::SessionFactory factory = [&](session::SessionOwner& owner) {
    auto made = std::make_unique<FakeSession>(owner);
    session = made.get();
    return made;
  };
  bool is_upgraded = false;
  handler.on_message = [&](const std::string& text) {
    if (is_upgraded) return session->say(text);
    is_upgraded = true;
    ASSERT_TRUE(text.starts_with("upgrade;"));
    session->say("upgraded;");
    connection->replace_session(factory, as_bytes(text).subspan(8));
  };
  connection->start(factory);

  client.send("upgrade;one ");
  ASSERT_TRUE(run_until(loop, [&] { return client.received() == "upgraded;one "; }));
  client.send("two");

  EXPECT_TRUE(run_until(loop, [&] { return client.received() == "upgraded;one two"; }));
  client.destroy();
  EXPECT_TRUE(run_until(loop, [&] { return handler.closed == 1; }));
}

}  // namespace
}  // namespace trunkline::net
