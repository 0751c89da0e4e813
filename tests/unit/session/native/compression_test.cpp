// SPDX-License-Identifier: MIT
// Compressed messages through a session, including decompression bombs.
#include "kit/lone_session.h"
#include "kit/session_pair.h"
#include "session/native/message_encoding.h"
#include "wire/leb128.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

using kit::LoneSession;

std::string claim(std::uint64_t size) {
  std::byte prefix[10];
  return std::string(as_text(ByteSpan(prefix, wire::write_leb128(size, prefix))));
}

kit::FrameSpec compressed_call(std::string_view body) {
  kit::FrameSpec call = kit::call(1, 1, "a/b", body);
  call.compressor = 1;
  return call;
}

std::string refusal(std::string_view body, StatusCode code) {
  LoneSession lone(Role::server);
  lone.greet({.codecs = {"bytes"}, .compressors = {"snappy"}});
  lone.feed({compressed_call(body)});
  const auto frames = lone.sent_frames();
  if (frames.size() != 1 || !frames[0].is(wire::FrameType::finish)) return "no finish";
  EXPECT_EQ(frames[0].header.number, static_cast<std::uint32_t>(code));
  EXPECT_FALSE(lone.session().is_closed());
  return frames[0].status_message;
}

class Thrower final : public Compressor {
 public:
  std::string_view name() const noexcept override { return "thrower"; }
  Status compress(ByteSpan, BufferWriter&) const override { return {StatusCode::internal, "no"}; }
  Status decompress(ByteSpan, MutableByteSpan) const override { throw 1; }
};

class QuietOwner : public SessionOwner {
 public:
  void on_session_wake() noexcept override {}
};

TEST(Decompression, ExceptionOfACompressorBecomesAStatus) {
  QuietOwner owner;

  const Result<Slice> result = decompress_message({as_bytes("abc"), 3}, Thrower(), owner);

  EXPECT_EQ(result.status().code(), StatusCode::internal);
  EXPECT_EQ(result.status().message(), "decompress message: thrower threw an exception: an unknown exception");
}

TEST(CompressedBomb, ClaimOfFourGibibytesTakesNoMemory) {
  EXPECT_EQ(refusal(claim(std::uint64_t{4} << 30) + std::string(1000, 'x'), StatusCode::resource_exhausted),
            "decompress message: uncompressed size 4294967296 exceeds max_message_bytes 67108864");
}

TEST(CompressedBomb, ClaimOfTheLargestSizeTakesNoMemory) {
  EXPECT_EQ(refusal(std::string("\xFF\xFF\xFF\xFF\x7F") + "x", StatusCode::resource_exhausted),
            "decompress message: uncompressed size 34359738367 exceeds max_message_bytes 67108864");
}

TEST(CompressedBomb, OverTheRatioTakesNoMemory) {
  EXPECT_EQ(refusal(claim(64 << 20) + std::string(2000, 'x'), StatusCode::resource_exhausted),
            "decompress message: 2000 bytes to 67108864, which exceeds max_decompression_ratio 2048");
}

TEST(CompressedBomb, OfACallIsNotTouchedBeforeTheLayerAboveHasAsked) {
  LoneSession lone(Role::server);
  lone.greet({.codecs = {"bytes"}, .compressors = {"snappy"}});
  const std::string bad = claim(10) + "\x0a\xff\xff";
  bool was_compressed = false;
  Status decompressed;
  lone.end().on_compressed = [&](Event& event) {
    was_compressed = event.is_compressed;
    EXPECT_EQ(as_text(event.payload), bad.substr(1));
    static_cast<void>(
        lone.session().finish(event.id, Status(StatusCode::unimplemented, "no such method"), {}, nullptr, true));
  };

  lone.feed({compressed_call(bad)});

  const auto frames = lone.sent_frames();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(was_compressed);
  EXPECT_EQ(frames[0].status_message, "no such method");
}

TEST(CompressedMessage, WithSixBytesOfSizeIsRefused) {
  EXPECT_EQ(refusal("\x80\x80\x80\x80\x80\x01x", StatusCode::internal), "decompress message: bad size prefix");
}

TEST(CompressedMessage, WithoutBytesIsRefused) {
  EXPECT_EQ(refusal("", StatusCode::internal), "decompress message: bad size prefix");
}

TEST(CompressedMessage, ThatIsCorruptIsRefused) {
  EXPECT_NE(refusal(claim(10) + "\x0a\xff\xff", StatusCode::internal).find("decompress message: snappy: "),
            std::string::npos);
}

TEST(CompressedMessage, WithAWrongSizeIsRefused) {
  BufferWriter out;
  ASSERT_TRUE(kit::snappy().compress(as_bytes(std::string(100, 'x')), out).is_ok());

  EXPECT_NE(refusal(claim(99) + std::string(as_text(out.bytes())), StatusCode::internal).find("snappy"),
            std::string::npos);
}

TEST(CompressedMessage, MayBeEmpty) {
  BufferWriter out;
  ASSERT_TRUE(kit::snappy().compress({}, out).is_ok());
  LoneSession lone(Role::server);
  lone.greet({.codecs = {"bytes"}, .compressors = {"snappy"}});

  lone.feed({compressed_call(claim(0) + std::string(as_text(out.bytes())))});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].has_message);
  EXPECT_EQ(events[0].payload, "");
}

class Compression : public testing::Test {
 protected:
  Compression() {
    server_options.compression_threshold = 0;
    connect();
  }
  void connect() {
    pair = std::make_unique<kit::SessionPair>(
        kit::SessionPair::Options{.client = client_options, .server = server_options});
    pair->server().on_event = [this](Event& event) {
      if (event.type != EventType::call) return;
      asked = as_text(event.payload);
      static_cast<void>(
          pair->server().session().finish(event.id, {}, kit::payload(asked, &kit::snappy()), nullptr, false));
    };
    pair->client().on_event = [this](Event& event) {
      if (event.type == EventType::finished) received = as_text(event.payload);
    };
    pair->to_server().on_bytes = [this](std::string_view bytes) { sent += bytes.size(); };
    pair->settle();
    sent = 0;
  }
  void ask(const std::string& text) {
    int context = 0;
    ASSERT_TRUE(pair->client()
                    .session()
                    .start({.method = {1, "a/b"}, .context = &context}, kit::payload(text, &kit::snappy()))
                    .is_ok());
    pair->settle();
  }

  SessionOptions client_options = kit::plain_options();
  SessionOptions server_options = kit::plain_options();
  std::unique_ptr<kit::SessionPair> pair;
  std::string asked;
  std::string received;
  std::size_t sent = 0;
};

TEST_F(Compression, ShrinksCompressibleMessages) {
  const std::string text(20000, 'x');

  ask(text);

  EXPECT_EQ(asked, text);
  EXPECT_EQ(received, text);
  EXPECT_LT(sent, 2000u);
}

TEST_F(Compression, SkipsMessagesBelowTheThreshold) {
  const std::string text(1023, 'x');

  ask(text);

  EXPECT_EQ(received, text);
  EXPECT_GT(sent, text.size());
}

TEST_F(Compression, SkipsMessagesThatShrinkBeyondTheRatio) {
  client_options.limits.max_decompression_ratio = 10;
  connect();
  const std::string text(100000, 'x');

  ask(text);

  EXPECT_EQ(asked, text);
  EXPECT_GT(sent, text.size());
}

TEST_F(Compression, SkipsMessagesThatDoNotShrink) {
  std::string text;
  for (std::uint32_t i = 0, value = 1; i < 5000; ++i)
    text += static_cast<char>((value = value * 1664525u + 1013904223u) >> 24);

  ask(text);

  EXPECT_EQ(received, text);
  EXPECT_GT(sent, text.size());
}

TEST_F(Compression, OfAStreamNeedsNoRoomBeforeAnybodyReads) {
  server_options.limits.max_message_bytes = server_options.limits.max_unread_bytes = 100000;
  connect();
  const std::string text(90000, 'x');
  Session& client = pair->client().session();
  std::vector<std::size_t> held;
  std::vector<EventType> ends;
  int context = 0;
  pair->server().on_compressed = [&](Event& event) {
    if (event.type == EventType::call) pair->server().session().attach(event.id, &context);
    event.is_retained = true;
    EXPECT_EQ(event.decompressed_bytes, text.size());
    held.push_back(event.payload.size());
  };
  pair->server().on_event = pair->client().on_event = [&](Event& event) { ends.push_back(event.type); };

  const Result<CallId> id =
      client.start({.method = {1, "a/b"}, .end = false, .context = &context}, kit::payload(text, &kit::snappy()));
  ASSERT_TRUE(id.is_ok());
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(client.send(*id, kit::payload(text, &kit::snappy()), nullptr, false).is_ok());
  pair->settle();

  EXPECT_EQ(held.size(), 5u);
  EXPECT_LT(held.back(), 5000u);
  EXPECT_TRUE(ends.empty()) << "the call goes on";
}

TEST_F(Compression, CountsWhatAMessageHasGrownToUntilItIsReleased) {
  connect();
  const std::string text(90000, 'x');
  Session& server = pair->server().session();
  CallId call = 0;
  MessageCredit credit;
  int context = 0;
  pair->server().on_event = [&](Event& event) {
    if (event.type != EventType::call) return;
    server.attach(event.id, &context);
    event.is_retained = true;
    call = event.id;
    credit = event.credit;
  };
  const std::size_t before = server.held_bytes();

  ask(text);
  const std::size_t retained = server.held_bytes();
  server.release(call, credit);
  pair->settle();

  EXPECT_GE(retained, before + text.size());
  EXPECT_LT(server.held_bytes(), before + text.size() / 10);
}

TEST_F(Compression, OfAStreamOverTheLimitEndsTheCallAsSoonAsItComes) {
  server_options.limits.max_message_bytes = server_options.limits.max_unread_bytes = 100000;
  LoneSession lone(Role::server, server_options);
  lone.greet({.codecs = {"bytes"}, .compressors = {"snappy"}});
  kit::FrameSpec call = kit::call(1, 1, "a/b", "x");
  call.flags = wire::flag::message | wire::flag::headers;
  kit::FrameSpec message = kit::message(1, claim(100001) + std::string(1000, 'x'));
  message.compressor = 1;

  lone.feed({call, message});

  const auto frames = lone.sent_frames();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(frames[0].is(wire::FrameType::finish));
  EXPECT_EQ(frames[0].status_message, "decompress message: uncompressed size 100001 exceeds max_message_bytes 100000");
}

TEST(CompressionBeforeHello, IsNotUsed) {
  LoneSession lone(Role::client);
  int context = 0;

  ASSERT_TRUE(
      lone.session()
          .start({.method = {1, "a/b"}, .context = &context}, kit::payload(std::string(5000, 'x'), &kit::snappy()))
          .is_ok());

  const auto frames = lone.sent_frames();
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[1].header.compressor, 0);
  EXPECT_EQ(frames[1].message.size(), 5000u);
}

}  // namespace
}  // namespace trunkline::session::native
