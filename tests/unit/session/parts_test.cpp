// SPDX-License-Identifier: MIT
// The small parts of a session: method tables, negotiation, encoding, assembly, held frames.
#include "kit/session_end.h"
#include "session/held_frames.h"
#include "session/message_assembly.h"
#include "session/message_encoding.h"
#include "session/method_table.h"
#include "session/negotiation.h"

#include <gtest/gtest.h>

namespace trunkline::session {
namespace {

TEST(TaughtMethods, AreNumberedInTheOrderOfUse) {
  TaughtMethods methods;

  EXPECT_EQ(methods.find(7), 0u);
  EXPECT_EQ(methods.teach(7, 10), 1u);
  EXPECT_EQ(methods.teach(2, 10), 2u);
  EXPECT_EQ(methods.find(7), 1u);
  EXPECT_EQ(methods.find(2), 2u);
  EXPECT_EQ(methods.find(3), 0u);
}

TEST(TaughtMethods, StopAtThePeersLimit) {
  TaughtMethods methods;

  EXPECT_EQ(methods.teach(1, 1), 1u);
  EXPECT_EQ(methods.teach(2, 1), 0u);
  EXPECT_EQ(methods.find(2), 0u);
}

TEST(TaughtMethods, WithoutAKeyAreNotTaught) {
  TaughtMethods methods;

  EXPECT_EQ(methods.teach(0, 10), 0u);
  EXPECT_EQ(methods.teach(1, 10), 1u);
  EXPECT_EQ(methods.find(0), 0u);
}

TEST(LearntMethods, KeepTheirNamesInPlace) {
  LearntMethods methods;
  ASSERT_TRUE(methods.learn(1, "a/b", 1000).is_ok());
  const std::string_view first = methods.find(1);

  for (std::uint32_t i = 2; i < 500; ++i) ASSERT_TRUE(methods.learn(i, "x", 1000).is_ok());

  EXPECT_EQ(methods.find(1).data(), first.data());
  EXPECT_EQ(methods.find(0), "");
  EXPECT_EQ(methods.find(500), "");
}

TEST(Negotiation, SaysWhatTheOptionsSay) {
  SessionOptions options = kit::plain_options();
  options.limits.max_frame_bytes = 70000;
  options.limits.max_methods = 300;
  options.max_concurrent_calls = 77;
  options.ordered = true;

  const wire::Hello server = Negotiation(Role::server, options).local_hello();
  const wire::Hello client = Negotiation(Role::client, options).local_hello();

  EXPECT_EQ(server.max_frame_bytes, 70000u);
  EXPECT_EQ(server.max_concurrent_calls, 77u);
  EXPECT_EQ(server.max_methods, 300u);
  EXPECT_FALSE(server.ordered);
  EXPECT_TRUE(client.ordered);
  EXPECT_EQ(client.max_concurrent_calls, 128u);
  EXPECT_EQ(client.codecs, std::vector<std::string>{"bytes"});
  EXPECT_EQ(client.compressors, std::vector<std::string>{"snappy"});
}

TEST(Negotiation, MatchesNamesNotNumbers) {
  const SessionOptions options = kit::plain_options();
  Negotiation negotiation(Role::server, options);
  wire::Hello hello;
  hello.codecs = {"thrift", "bytes"};
  hello.compressors = {"zip"};

  negotiation.apply(hello);

  EXPECT_FALSE(negotiation.is_peer_codec(0));
  EXPECT_TRUE(negotiation.is_peer_codec(2));
  EXPECT_FALSE(negotiation.is_peer_codec(3));
  EXPECT_EQ(negotiation.peer_codec(1), nullptr);
  EXPECT_EQ(negotiation.strange_codec(1), "thrift");
  EXPECT_EQ(negotiation.strange_compressor(1), "zip");
  EXPECT_EQ(negotiation.peer_codec(2), &kit::bytes_codec());
  EXPECT_EQ(negotiation.number_of(kit::bytes_codec()), 1);
  EXPECT_TRUE(negotiation.peer_accepts(kit::bytes_codec()));
  EXPECT_FALSE(negotiation.peer_accepts(kit::snappy()));
}

TEST(Negotiation, KeepsNoNamesThatItKnows) {
  const SessionOptions options = kit::plain_options();
  Negotiation negotiation(Role::server, options);
  wire::Hello hello;
  hello.codecs = {"bytes"};
  hello.compressors = {"snappy"};
  hello.features = {"some_feature"};

  negotiation.apply(hello);

  EXPECT_EQ(negotiation.peer_codec(1), &kit::bytes_codec());
  EXPECT_EQ(negotiation.peer_compressor(1), &kit::snappy());
  EXPECT_TRUE(negotiation.peer().codecs.empty());
  EXPECT_TRUE(negotiation.peer().compressors.empty());
  EXPECT_TRUE(negotiation.peer().features.empty());
}

TEST(Negotiation, BeforeHelloTrustsInCodecsOnly) {
  const SessionOptions options = kit::plain_options();
  const Negotiation negotiation(Role::client, options);

  EXPECT_TRUE(negotiation.peer_accepts(kit::bytes_codec()));
  EXPECT_FALSE(negotiation.peer_accepts(kit::snappy()));
  EXPECT_FALSE(negotiation.is_peer_codec(1));
}

class ForeignCodec final : public Codec {
 public:
  std::string_view name() const noexcept override { return "foreign"; }
  bool supports(const MessageType&) const noexcept override { return true; }
  Status encode(MessageView, BufferWriter&) const override { return {}; }
  Status decode(const Slice&, MutableMessageView) const override { return {}; }
};

class QuietOwner : public SessionOwner {
 public:
  void on_session_wake() noexcept override {}
};

TEST(EncodeMessage, RefusesACodecOfAnotherRegistry) {
  const SessionOptions options = kit::plain_options();
  const Negotiation negotiation(Role::client, options);
  const ForeignCodec codec;
  QuietOwner owner;
  EncodedMessage out;

  const Status status = encode_message({.codec = &codec}, negotiation, 0, owner, out);

  EXPECT_EQ(status.message(), "send message: codec foreign is not in the registry of this side");
}

TEST(EncodeMessage, HandsOnTheCodecsError) {
  const SessionOptions options = kit::plain_options();
  const Negotiation negotiation(Role::client, options);
  const int number = 5;
  QuietOwner owner;
  EncodedMessage out;

  const Status status =
      encode_message({.codec = &kit::bytes_codec(), .message = MessageView::of(number)}, negotiation, 0, owner, out);

  EXPECT_FALSE(status.is_ok());
}

TEST(MessageAssembly, PutsPiecesTogether) {
  MessageAssembly assembly;
  assembly.begin(6, 3, 2);
  for (const std::string_view piece : {"ab", "", "cdef"}) {
    ASSERT_TRUE(assembly.check_piece(piece.size(), piece == "cdef").is_ok());
    std::memcpy(assembly.position(), piece.data(), piece.size());
    assembly.advance(piece.size());
  }

  EXPECT_EQ(assembly.missing(), 0u);
  EXPECT_EQ(assembly.codec(), 3);
  EXPECT_EQ(assembly.compressor(), 2);
  EXPECT_EQ(assembly.take().text(), "abcdef");
  EXPECT_FALSE(assembly.is_active());
}

TEST(MessageAssembly, OfNothingIsActiveUntilTaken) {
  MessageAssembly assembly;
  assembly.begin(0, 1, 0);

  EXPECT_TRUE(assembly.is_active());
  EXPECT_FALSE(assembly.check_piece(1, false).is_ok());
  EXPECT_TRUE(assembly.check_piece(0, true).is_ok());
  EXPECT_TRUE(assembly.take().empty());
}

TEST(HeldFrames, KeepOrderAndBytes) {
  HeldFrames held;
  for (std::uint32_t i = 1; i <= 1000; ++i) {
    const Slice body = Slice::copy_of(std::string(i % 7 == 0 ? 6000 : i % 50, static_cast<char>('a' + i % 26)));
    held.push({.type = wire::FrameType::call, .call = i}, body.bytes(), body.block());
  }
  held.push({.type = wire::FrameType::cancel, .call = 5}, {}, nullptr);
  const std::size_t calls = held.calls();

  for (std::uint32_t i = 1; i <= 1000; ++i) {
    const HeldFrame frame = held.pop();
    if (i == 5) {
      EXPECT_TRUE(held.has_rest());
      EXPECT_EQ(held.uncharged(), 1u);
      EXPECT_EQ(held.pop().header.type, wire::FrameType::cancel);
    }
    EXPECT_FALSE(held.has_rest());
    ASSERT_EQ(frame.header.call, i);
    ASSERT_EQ(frame.body.to_string(), std::string(i % 7 == 0 ? 6000 : i % 50, static_cast<char>('a' + i % 26)));
  }

  EXPECT_EQ(calls, 1000u);
  EXPECT_EQ(held.calls(), 0u);
  EXPECT_EQ(held.uncharged(), 0u);
  EXPECT_TRUE(held.empty());
}

TEST(HeldFrames, KnowTheirCallsAlsoAcrossTheWrap) {
  HeldFrames held;
  for (const std::uint32_t id : {0xFFFFFFF0u, 0xFFFFFFFFu, 1u, 7u})
    held.push({.type = wire::FrameType::call, .call = id}, {}, nullptr);

  EXPECT_TRUE(held.has_call(0xFFFFFFFFu));
  EXPECT_TRUE(held.has_call(7));
  EXPECT_FALSE(held.has_call(2));
  EXPECT_FALSE(held.has_call(0));
  EXPECT_FALSE(held.has_call(0xFFFFFFEFu));
}

TEST(HeldFrames, DoNotKeepAReadBufferForAFewBytes) {
  HeldFrames held;
  Block* buffer = Block::allocate(65536);
  std::memcpy(buffer->data(), "few", 3);

  held.push({.type = wire::FrameType::call, .call = 1}, {buffer->data(), 3}, buffer);

  EXPECT_TRUE(buffer->unique());
  EXPECT_EQ(held.pop().body.text(), "few");
  buffer->release();
}

}  // namespace
}  // namespace trunkline::session
