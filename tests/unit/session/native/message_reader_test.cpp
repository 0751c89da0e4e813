// SPDX-License-Identifier: MIT
// Messages read from frames: numbers, limits, chunks and memory.
#include "session/native/message_reader.h"

#include "native_parts.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

struct QuietOwner final : SessionOwner {
  void on_session_wake() noexcept override {}
};

class MessageReaderTest : public testing::Test {
 protected:
  static SessionOptions small_limits() {
    SessionOptions options = kit::plain_options();
    options.limits.max_message_bytes = 1000;
    options.limits.max_unread_bytes = 1500;
    return options;
  }
  static wire::FrameHeader header(std::uint8_t flags, std::uint8_t codec = 1) {
    return {.type = wire::FrameType::message, .flags = flags, .codec = codec, .call = 1};
  }
  static wire::HeaderBlock total(std::uint64_t bytes) {
    wire::HeaderBlock block;
    block.has_message_bytes = true;
    block.message_bytes = bytes;
    return block;
  }

  NativeParts parts{Role::server, small_limits()};
  QuietOwner owner;
  CurrentEvent current;
  MessageReader reader{parts.options, parts.negotiation, parts.credit, parts.calls, current, owner};
  Event event;
};

TEST_F(MessageReaderTest, AcceptsNumbersOfThePeersHelloOnly) {
  EXPECT_TRUE(reader.check_numbers(header(wire::flag::message, 0), false).is_ok());
  EXPECT_TRUE(reader.check_numbers(header(wire::flag::message, 1), true).is_ok());
  EXPECT_FALSE(reader.check_numbers(header(wire::flag::message, 1), false).is_ok());
  EXPECT_FALSE(reader.check_numbers(header(wire::flag::message, 2), true).is_ok());
}

TEST_F(MessageReaderTest, ReadsAWholeMessageInPlace) {
  const Slice bytes = Slice::copy_of("hello");

  ASSERT_TRUE(reader.read_whole(header(wire::flag::message), bytes.bytes(), bytes.block(), event).is_ok());

  EXPECT_TRUE(event.has_message);
  EXPECT_EQ(event.payload.data(), bytes.data());
  EXPECT_EQ(event.block, bytes.block());
  EXPECT_EQ(event.codec, &kit::bytes_codec());
}

TEST_F(MessageReaderTest, RefusesAMessageOverTheLimit) {
  const std::string bytes(1001, 'x');

  const Status status = reader.read_whole(header(wire::flag::message), as_bytes(bytes), nullptr, event);

  EXPECT_EQ(status.code(), StatusCode::resource_exhausted);
}

TEST_F(MessageReaderTest, AssemblesChunksAndReleasesTheirMemory) {
  CallState& call = *parts.calls.open(1, nullptr);
  const std::uint8_t more = wire::flag::message | wire::flag::more;

  ASSERT_TRUE(reader.read_chunk(call, header(more), total(5), as_bytes("hel"), event).is_ok());
  const bool early = event.has_message;
  const std::size_t retained = parts.calls.memory().retained();
  ASSERT_TRUE(reader.read_chunk(call, header(wire::flag::message, 0), {}, as_bytes("lo"), event).is_ok());

  EXPECT_FALSE(early);
  EXPECT_EQ(retained, 5u);
  EXPECT_TRUE(event.has_message);
  EXPECT_EQ(as_text(event.payload), "hello");
  EXPECT_EQ(current.payload().text(), "hello");
  EXPECT_EQ(parts.calls.memory().retained(), 0u);
}

TEST_F(MessageReaderTest, LetsAMessageWaitForWhichThereIsNoRoom) {
  CallState& first = *parts.calls.open(1, nullptr);
  CallState& second = *parts.calls.open(2, nullptr);
  const std::uint8_t more = wire::flag::message | wire::flag::more;

  ASSERT_TRUE(reader.read_chunk(first, header(more), total(1000), as_bytes("x"), event).is_ok());
  const Status status = reader.read_chunk(second, header(more), total(600), as_bytes("x"), event);

  EXPECT_TRUE(status.is_ok()) << status.to_string();
  EXPECT_TRUE(second.assembly.is_waiting());
  EXPECT_EQ(parts.calls.memory().retained(), 1000u);
  parts.calls.forget(first);
  parts.calls.admit_waiting(parts.now);
  EXPECT_FALSE(second.assembly.is_waiting());
  EXPECT_EQ(parts.calls.memory().retained(), 600u);
}

TEST_F(MessageReaderTest, RefusesAMessageThatAloneExceedsTheRoom) {
  SessionOptions options = small_limits();
  options.limits.max_message_bytes = 2000;
  MessageReader strict{options, parts.negotiation, parts.credit, parts.calls, current, owner};
  CallState& call = *parts.calls.open(1, nullptr);

  const Status status =
      strict.read_chunk(call, header(wire::flag::message | wire::flag::more), total(1501), as_bytes("x"), event);

  EXPECT_EQ(status.code(), StatusCode::resource_exhausted);
  EXPECT_FALSE(call.assembly.is_active());
}

}  // namespace
}  // namespace trunkline::session::native
