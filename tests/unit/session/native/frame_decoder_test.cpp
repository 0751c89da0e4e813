// SPDX-License-Identifier: MIT
// Frames out of bytes that come in any parts.
#include "session/native/frame_decoder.h"

#include "native_parts.h"
#include "wire/preface.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trunkline::session::native {
namespace {

using Outcome = FrameDecoder::Outcome;
using Preface = FrameDecoder::Preface;

class FrameDecoderTest : public testing::Test {
 protected:
  /// Puts as many bytes in as there is room for; returns the rest.
  std::string_view feed(std::string_view bytes) {
    std::array<MutableByteSpan, 2> spans;
    const std::size_t count = decoder.input().prepare(spans);
    std::size_t taken = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t part = std::min(spans[i].size(), bytes.size() - taken);
      std::memcpy(spans[i].data(), bytes.data() + taken, part);
      taken += part;
    }
    decoder.input().commit(taken);
    return bytes.substr(taken);
  }
  void open() { decoder.accept_all_frames(); }

  NativeParts parts;
  UnchargedLimit uncharged{parts.credit, parts.path.queue()};
  FrameDecoder decoder{wire::Sender::client, parts.options.limits, parts.credit, uncharged};
  Frame frame;
};

TEST_F(FrameDecoderTest, ReadsThePrefaceOnceItIsWhole) {
  const std::string preface = kit::preface();
  feed(preface.substr(0, 5));
  const Preface early = decoder.read_preface();

  feed(preface.substr(5));

  EXPECT_EQ(early, Preface::incomplete);
  EXPECT_EQ(decoder.read_preface(), Preface::matches);
  EXPECT_EQ(decoder.input().size(), 0u);
}

TEST_F(FrameDecoderTest, RefusesAPrefaceAtItsFirstWrongByte) {
  feed("GET");

  EXPECT_EQ(decoder.read_preface(), Preface::differs);
}

TEST_F(FrameDecoderTest, ResumesAfterEverySplit) {
  open();
  const std::string bytes = kit::call(1, 1, "a/b", "hello").bytes();
  for (std::size_t split = 0; split < bytes.size(); ++split) {
    feed(bytes.substr(0, split));
    ASSERT_EQ(decoder.next(frame), Outcome::needs_input) << split;
    EXPECT_EQ(decoder.is_amid_frame(), split > 0);
    feed(bytes.substr(split));

    ASSERT_EQ(decoder.next(frame), Outcome::frame) << split;
    EXPECT_EQ(frame.header.call, 1u);
    EXPECT_EQ(as_text(frame.body.last(5)), "hello");
    EXPECT_FALSE(decoder.is_amid_frame());
  }
}

TEST_F(FrameDecoderTest, AcceptsOnlyHelloBeforeHello) {
  feed(kit::call(1, 1, "a/b", "hello").bytes());

  EXPECT_EQ(decoder.next(frame), Outcome::failed);
  EXPECT_EQ(decoder.error().message(), "handshake: a frame came before hello");
}

TEST_F(FrameDecoderTest, SkipsUnknownFramesInAnyParts) {
  open();
  kit::FrameSpec unknown{.type = static_cast<wire::FrameType>(0x80), .body = std::string(40000, 'x')};
  const std::string bytes = unknown.bytes() + unknown.bytes() + kit::ping().bytes();
  std::size_t frames = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 1000) {
    feed(std::string_view(bytes).substr(at, 1000));
    while (decoder.next(frame) == Outcome::frame) ++frames;
  }

  EXPECT_EQ(frames, 1u);
  EXPECT_EQ(frame.header.type, wire::FrameType::ping);
}

TEST_F(FrameDecoderTest, ReceivesALongBodyInABlockOfItsOwn) {
  open();
  const std::string payload(20000, 'x');
  const std::string bytes = kit::message(1, payload).bytes() + kit::ping().bytes();
  feed(bytes.substr(0, 100));
  ASSERT_EQ(decoder.next(frame), Outcome::needs_input);

  EXPECT_EQ(feed(std::string_view(bytes).substr(100)), "");

  ASSERT_EQ(decoder.next(frame), Outcome::frame);
  EXPECT_EQ(as_text(frame.body), payload);
  EXPECT_NE(frame.block, decoder.input().block());
  Block* const block = frame.block;
  block->retain();
  decoder.release_body();
  EXPECT_TRUE(block->unique());
  block->release();
  ASSERT_EQ(decoder.next(frame), Outcome::frame);
  EXPECT_EQ(frame.header.type, wire::FrameType::ping);
}

TEST_F(FrameDecoderTest, TakesNoMemoryForABodyBeyondTheCredit) {
  open();
  parts.credit.charge(static_cast<std::uint32_t>(parts.credit.left()) - 10000);

  feed(kit::message(1, std::string(20000, 'x')).bytes().substr(0, 100));

  EXPECT_EQ(decoder.next(frame), Outcome::failed);
  EXPECT_EQ(decoder.error().code(), StatusCode::resource_exhausted);
}

TEST_F(FrameDecoderTest, RefusesAFrameThatIsTooLongAtItsHeader) {
  open();
  wire::FrameHeader header{.length = parts.options.limits.max_frame_bytes + 1,
                           .type = wire::FrameType::message,
                           .flags = wire::flag::message,
                           .codec = 1,
                           .call = 1};
  std::array<std::byte, wire::header_bytes> bytes;
  wire::write_header(header, bytes.data());

  feed(as_text(bytes));

  EXPECT_EQ(decoder.next(frame), Outcome::failed);
  EXPECT_EQ(decoder.error().code(), StatusCode::resource_exhausted);
}

}  // namespace
}  // namespace trunkline::session::native
