// SPDX-License-Identifier: MIT
// A line session by hand: split lines, long lines, errors, and messages whose size is not known in advance.
#include "line_protocol/line_session.h"

#include "base/timer_wheel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace trunkline::line {
namespace {

using session::Event;
using session::EventType;
using ::testing::ElementsAre;

class LineSessionTest : public ::testing::Test, private session::SessionOwner {
 protected:
  std::unique_ptr<session::Session> make(session::Role role) {
    return protocol().make_session({.role = role, .options = options_, .timers = timers_, .owner = *this, .now = {}});
  }
  /// As much as the session has room for, in pieces of at most `piece` bytes.
  static void feed(session::Session& session, std::string_view bytes, std::size_t piece) {
    while (!bytes.empty()) {
      std::array<MutableByteSpan, 2> room;
      ASSERT_EQ(session.prepare_receive(room), 1u);
      const std::size_t size = std::min({piece, room[0].size(), bytes.size()});
      std::memcpy(room[0].data(), bytes.data(), size);
      session.received(size, {});
      bytes.remove_prefix(size);
      Event event;
      while (session.next(event)) {
      }
    }
  }
  static std::string output(session::Session& session) {
    std::string text;
    std::array<ByteSpan, 16> spans;
    while (const std::size_t count = session.gather(spans)) {
      std::size_t size = 0;
      for (std::size_t i = 0; i < count; ++i) {
        text += as_text(spans[i]);
        size += spans[i].size();
      }
      session.wrote(size);
    }
    return text;
  }
  /// Responds to each call with its own message; returns the methods called.
  static std::vector<std::string> echo(session::Session& session, std::string_view bytes, std::size_t piece) {
    std::vector<std::string> methods;
    while (!bytes.empty()) {
      std::array<MutableByteSpan, 2> room;
      EXPECT_EQ(session.prepare_receive(room), 1u);
      const std::size_t size = std::min({piece, room[0].size(), bytes.size()});
      std::memcpy(room[0].data(), bytes.data(), size);
      session.received(size, {});
      bytes.remove_prefix(size);
      Event event;
      while (session.next(event)) {
        if (event.type != EventType::call) continue;
        methods.emplace_back(event.method_name);
        static_cast<void>(session.finish(
            event.id, {}, {.codec = event.response_codec, .payload = event.payload_slice()}, nullptr, false));
      }
    }
    return methods;
  }

  void on_session_wake() noexcept override {}

  CodecRegistry codecs_ = CodecRegistry::with_defaults();
  CompressorRegistry compressors_;
  session::SessionOptions options_{.codecs = &codecs_, .compressors = &compressors_};
  base::TimerWheel timers_{{}};
};

TEST_F(LineSessionTest, TakesLinesHoweverTheyAreSplit) {
  const std::string lines = "Greet \"world\"\nAdd [1,2]\nPing 0\n";
  for (std::size_t piece = 1; piece <= lines.size(); ++piece) {
    const auto server = make(session::Role::server);

    EXPECT_THAT(echo(*server, lines, piece), ElementsAre("Greet", "Add", "Ping")) << piece;

    EXPECT_EQ(output(*server), "\"world\"\n[1,2]\n0\n") << piece;
  }
}

TEST_F(LineSessionTest, TakesAMessageMuchLongerThanTheReadBuffer) {
  options_.limits.read_buffer_bytes = 256;
  const auto server = make(session::Role::server);
  const std::string message = "\"" + std::string(1 << 20, 'x') + "\"";

  EXPECT_THAT(echo(*server, "Echo " + message + "\n", 1 << 16), ElementsAre("Echo"));

  EXPECT_EQ(output(*server), message + "\n");
}

TEST_F(LineSessionTest, EndsWithALineOverTheLimit) {
  options_.limits.max_message_bytes = 1000;
  const auto server = make(session::Role::server);

  feed(*server, "Echo " + std::string(2000, 'x'), 100);

  EXPECT_TRUE(server->is_closed());
  EXPECT_EQ(server->close_reason().message(), "receive line: longer than max_message_bytes 1000");
}

TEST_F(LineSessionTest, RefusesAResponseCodecThatDoesNotExist) {
  const auto server = make(session::Role::server);

  EXPECT_THAT(echo(*server, "Echo>morse 1\n", 100), ElementsAre());

  EXPECT_EQ(output(*server), "! 12 codec morse is not known here\n");
}

TEST_F(LineSessionTest, FinishesACallThatIsNeitherFinishedNorAttached) {
  const auto server = make(session::Role::server);

  feed(*server, "Echo 1\n", 100);

  EXPECT_EQ(output(*server), "! 13 call was neither finished nor attached\n");
}

TEST_F(LineSessionTest, OfAClientMatchesResponsesToCallsByTheirOrder) {
  const auto client = make(session::Role::client);
  int first = 0;
  int second = 0;
  const session::OutgoingMessage one{.codec = codecs_.find("json"), .payload = Slice::copy_of("1")};
  ASSERT_TRUE(client->start({.method = {.name = "Echo"}, .context = &first}, one).is_ok());
  ASSERT_TRUE(client->start({.method = {.name = "Fail"}, .context = &second}, one).is_ok());
  EXPECT_EQ(output(*client), "Echo 1\nFail 1\n");
  std::array<MutableByteSpan, 2> room;
  client->prepare_receive(room);
  const std::string responses = "1\n! 5 not here\n";
  std::memcpy(room[0].data(), responses.data(), responses.size());
  client->received(responses.size(), {});
  Event event;

  ASSERT_TRUE(client->next(event));
  EXPECT_EQ(event.type, EventType::opened);
  ASSERT_TRUE(client->next(event));
  EXPECT_EQ(event.context, &first);
  EXPECT_EQ(as_text(event.payload), "1");
  ASSERT_TRUE(client->next(event));
  EXPECT_EQ(event.context, &second);
  EXPECT_EQ(event.status.code(), StatusCode::not_found);
  EXPECT_EQ(event.status.message(), "not here");
  EXPECT_FALSE(client->next(event));
}

TEST_F(LineSessionTest, OfAClientEndsItsCallsWithTheConnection) {
  const auto client = make(session::Role::client);
  int context = 0;
  const session::OutgoingMessage one{.codec = codecs_.find("json"), .payload = Slice::copy_of("1")};
  ASSERT_TRUE(client->start({.method = {.name = "Echo"}, .context = &context}, one).is_ok());

  client->transport_closed({});

  Event event;
  ASSERT_TRUE(client->next(event));
  EXPECT_EQ(event.type, EventType::finished);
  EXPECT_EQ(event.context, &context);
  EXPECT_EQ(event.status.code(), StatusCode::unavailable);
  ASSERT_TRUE(client->next(event));
  EXPECT_EQ(event.type, EventType::closed);
  EXPECT_FALSE(client->next(event));
}

}  // namespace
}  // namespace trunkline::line
