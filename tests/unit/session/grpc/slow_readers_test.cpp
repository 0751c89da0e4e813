// SPDX-License-Identifier: MIT
// Peers that leave messages waiting: those whose applications have yet to read earlier ones, and those that take
// nothing.
#include "unit/session/grpc/http2_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>

namespace trunkline::session::grpc {
namespace {

using std::chrono::seconds;

class SlowReaders : public testing::Test {
 protected:
  static SessionOptions options() {
    SessionOptions made = kit::plain_options();
    made.limits.max_unsent_bytes = 100000;
    return made;
  }
  SlowReaders() {
    peer.greet({{http::http2::SettingId::max_concurrent_streams, 100000}});
    peer.feed(Http2Client::window_update(0, 1 << 30));
  }
  /// Opens a stream whose second message waits until its reader has taken the first one.
  void leave_unread() {
    const CallId id = peer.start_stream();
    static_cast<void>(peer.session().send(id, kit::payload("small"), nullptr, false));
    static_cast<void>(peer.take_output());
    static_cast<void>(peer.session().send(id, kit::payload(std::string(200000, 'x')), nullptr, false));
    static_cast<void>(peer.take_output());
  }
  void wait(int count) {
    for (int i = 0; i < count && !peer.session().is_closed(); ++i) {
      peer.feed(Http2Client::ping(true, "12345678"));
      peer.advance(seconds(10));
      static_cast<void>(peer.take_output());
    }
  }
  Http2Server peer{options()};
};

TEST_F(SlowReaders, MayTakeAnyTime) {
  for (int i = 0; i < 20; ++i) leave_unread();

  wait(300);

  EXPECT_FALSE(peer.session().is_closed()) << peer.session().close_reason().to_string();
}

TEST_F(SlowReaders, AreInNobodysWay) {
  std::size_t count = 0;
  while (count < 50 && peer.session().can_start()) leave_unread(), ++count;

  EXPECT_EQ(count, 50u);
}

/// A peer makes room for a first message by itself, so that one that does not has stopped.
TEST_F(SlowReaders, AreNotThoseThatTakeNoFirstMessage) {
  peer.start(std::string(3 << 20, 'x'));

  wait(300);

  EXPECT_TRUE(peer.session().is_closed());
}

TEST_F(SlowReaders, AreNotThoseThatTakeNoRequests) {
  std::size_t count = 0;
  while (count < 50 && peer.session().can_start()) {
    peer.start(std::string(1 << 20, 'x'));
    static_cast<void>(peer.take_output());
    ++count;
  }

  EXPECT_LE(count, 3u) << "16 times max_unsent_bytes may wait";
}

}  // namespace
}  // namespace trunkline::session::grpc
