// SPDX-License-Identifier: MIT
// Telling protocols apart by a connection's first bytes.
#include "net/first_bytes.h"

#include "manual_clock.h"
#include "net/memory_transport.h"
#include "stream_peer.h"

#include <gmock/gmock.h>

#include <optional>

namespace trunkline::net {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::string_view native_preface = "\xF5TRKL\r\n\x01";

class FirstBytesTest : public testing::Test {
 protected:
  void start() {
    auto [near, far] = make_memory_pair(loop_, loop_);
    peer_.emplace(std::move(far));
    FirstBytes::read(std::move(near), 10s, since_, [this](Result<Beginning> result) {
      ++calls_;
      if (!result) {
        error_ = result.status();
        return;
      }
      protocol_ = result->protocol;
      bytes_ = as_text(result->bytes);
      transport_ = std::move(result->transport);
    });
  }
  void say(std::string_view text) {
    peer_->send(text);
    settle(loop_);
  }

  ManualClock clock_;
  Loop loop_{{}, &clock_};
  base::TimePoint since_ = loop_.now();
  std::optional<StreamPeer> peer_;
  std::unique_ptr<Transport> transport_;
  wire::Protocol protocol_ = wire::Protocol::unknown;
  std::string bytes_;
  Status error_;
  int calls_ = 0;
};

TEST_F(FirstBytesTest, DecidesByteByByte) {
  start();

  for (const char byte : native_preface) say({&byte, 1});

  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(protocol_, wire::Protocol::native);
  EXPECT_TRUE(native_preface.starts_with(bytes_)) << "and no byte is lost or made up";
  EXPECT_FALSE(bytes_.empty());
}

TEST_F(FirstBytesTest, KnowsOtherProtocols) {
  start();

  say("GET /index.html HTTP/1.1\r\n");

  EXPECT_EQ(protocol_, wire::Protocol::http1);
  EXPECT_TRUE(std::string_view("GET /index.html HTTP/1.1\r\n").starts_with(bytes_));
}

TEST_F(FirstBytesTest, LeavesLaterBytesInTheTransport) {
  start();
  say(std::string(native_preface) + std::string(100, 'x'));
  ASSERT_NE(transport_, nullptr);

  StreamPeer rest(std::move(transport_));
  rest.receive_all();
  settle(loop_);

  EXPECT_EQ(bytes_ + rest.received(), std::string(native_preface) + std::string(100, 'x'));
}

TEST_F(FirstBytesTest, GivesUpAfterItsTimeout) {
  start();
  say("\xF5");
  clock_.advance(9s);
  settle(loop_);
  EXPECT_EQ(calls_, 0);

  clock_.advance(2s);
  settle(loop_);

  EXPECT_EQ(calls_, 1);
  EXPECT_THAT(std::string(error_.message()), HasSubstr("not known within handshake_timeout 10000 ms"));
  peer_->receive_all();
  settle(loop_);
  EXPECT_TRUE(peer_->is_ended()) << "the connection is closed";
}

TEST_F(FirstBytesTest, CountsTheTimeThatHasPassedAlready) {
  clock_.advance(9s);
  start();
  settle(loop_);
  EXPECT_EQ(calls_, 0);

  clock_.advance(2s);
  settle(loop_);

  EXPECT_EQ(calls_, 1);
  EXPECT_FALSE(error_.is_ok());
}

TEST_F(FirstBytesTest, SaysThatTheClientLeft) {
  start();
  say("\xF5");

  peer_->destroy();
  settle(loop_);

  EXPECT_EQ(calls_, 1);
  EXPECT_THAT(std::string(error_.message()), HasSubstr("closed after 1 bytes"));
}

TEST_F(FirstBytesTest, DoesNotCallBackFromInside) {
  auto [near, far] = make_memory_pair(loop_, loop_);
  const ByteSpan bytes = as_bytes(native_preface);
  far->write({&bytes, 1});
  int calls = 0;

  FirstBytes::read(std::move(near), 10s, loop_.now(), [&](const Result<Beginning>&) { ++calls; });

  EXPECT_EQ(calls, 0);
  settle(loop_);
  EXPECT_EQ(calls, 1);
}

TEST(FirstBytes, EndsWithItsLoop) {
  ManualClock clock;
  int calls = 0;
  {
    Loop loop({}, &clock);
    auto [near, far] = make_memory_pair(loop, loop);
    FirstBytes::read(std::move(near), 10s, loop.now(), [&](const Result<Beginning>&) { ++calls; });
    settle(loop);
  }

  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace trunkline::net
