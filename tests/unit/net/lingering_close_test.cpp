// SPDX-License-Identifier: MIT
// Last answers: that they arrive, and how long the connection stays for them.
#include "net/lingering_close.h"

#include "connected_pair.h"
#include "kit/manual_clock.h"
#include "net/memory_transport.h"
#include "stream_peer.h"

#include <gtest/gtest.h>

#include <optional>

namespace trunkline::net {
namespace {

using namespace std::chrono_literals;

class LingeringCloseTest : public testing::Test {
 protected:
  /// Begins the lingering close of a connection whose peer has begun to send.
  void begin(std::string_view message, std::size_t buffer_bytes = 256 * 1024) {
    auto [near, far] = make_memory_pair(loop_, loop_, {.buffer_bytes = buffer_bytes});
    peer_.emplace(std::move(far));
    peer_->send("GET / HTTP/1.1");
    LingeringClose::begin(std::move(near), message, std::exchange(permit_, {}), 1000ms);
    settle(loop_);
  }
  bool is_over() const { return watch_.expired(); }

  kit::ManualClock clock_;
  Loop loop_{{}, &clock_};
  std::shared_ptr<const int> counted_ = std::make_shared<const int>(1);
  const std::weak_ptr<const int> watch_ = counted_;
  ConnectionPermit permit_{std::exchange(counted_, nullptr)};
  std::optional<StreamPeer> peer_;
};

TEST_F(LingeringCloseTest, WritesTheMessageAndEndsItsSide) {
  begin("go away");
  peer_->receive_all();
  settle(loop_);

  EXPECT_EQ(peer_->received(), "go away");
  EXPECT_TRUE(peer_->is_ended());
  EXPECT_FALSE(is_over()) << "the peer has not closed";
}

TEST_F(LingeringCloseTest, DiscardsInputUntilThePeerCloses) {
  begin("go away", 1024);

  peer_->send(std::string(100000, 'x'));
  settle(loop_);
  const bool is_all_taken = peer_->is_all_sent();
  const bool is_early = is_over();
  peer_->destroy();
  settle(loop_);

  EXPECT_TRUE(is_all_taken);
  EXPECT_FALSE(is_early);
  EXPECT_TRUE(is_over());
}

TEST_F(LingeringCloseTest, EndsAtItsTimeoutWhateverThePeerDoes) {
  begin("go away", 1024);

  for (int i = 0; i < 9; ++i) {
    clock_.advance(100ms);
    peer_->send("more");
    settle(loop_);
  }
  const bool is_early = is_over();
  clock_.advance(101ms);
  settle(loop_);

  EXPECT_FALSE(is_early);
  EXPECT_TRUE(is_over());
}

TEST_F(LingeringCloseTest, GoesOnWritingToAPeerThatReadsSlowly) {
  begin("a long answer", 4);
  const bool is_early = is_over();

  peer_->receive_all();
  settle(loop_);

  EXPECT_FALSE(is_early);
  EXPECT_EQ(peer_->received(), "a long answer");
  EXPECT_TRUE(peer_->is_ended());
}

TEST_F(LingeringCloseTest, WritesToAPeerThatHasEndedItsSide) {
  begin("a long answer", 4);

  peer_->transport().shutdown_send();
  settle(loop_);
  peer_->receive_all();
  settle(loop_);

  EXPECT_EQ(peer_->received(), "a long answer");
  EXPECT_TRUE(is_over()) << "both sides are done";
}

TEST_F(LingeringCloseTest, EndsWithThePeer) {
  begin("a long answer", 4);

  peer_->destroy();
  settle(loop_);

  EXPECT_TRUE(is_over());
}

TEST(LingeringClose, EndsWithItsLoop) {
  const auto counted = std::make_shared<const int>(1);
  {
    Loop loop;
    auto [near, far] = make_memory_pair(loop, loop);
    LingeringClose::begin(std::move(near), "go away", ConnectionPermit(counted));
  }

  EXPECT_EQ(counted.use_count(), 1);
}

/// Over a socket, where input left unread would reset the connection.
TEST(LingeringClose, DoesNotResetASocket) {
  // Its time does not run out, however long the system takes.
  kit::ManualClock clock;
  Loop loop({}, &clock);
  ConnectedPair pair;
  ASSERT_NO_FATAL_FAILURE(pair.connect(loop, *Endpoint::parse("tcp://127.0.0.1:0")));
  StreamPeer client(std::move(pair.client));
  client.send("GET / HTTP/1.1\r\n" + std::string(50000, 'x'));

  LingeringClose::begin(std::move(pair.server), "go away", {});
  client.receive_all();

  ASSERT_TRUE(run_until(loop, [&] { return client.is_ended(); }));
  EXPECT_EQ(client.received(), "go away");
  EXPECT_TRUE(client.error().is_ok()) << client.error().to_string();
}

}  // namespace
}  // namespace trunkline::net
