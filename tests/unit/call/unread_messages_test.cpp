// SPDX-License-Identifier: MIT
// Messages that wait for the application.
#include "call/unread_messages.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace trunkline::call {
namespace {

session::Event event_of(std::string_view text) {
  session::Event event;
  event.has_message = true;
  event.payload = as_bytes(text);
  return event;
}

TEST(UnreadMessages, AreReadInTheirOrder) {
  UnreadMessages messages;
  for (int i = 0; i < 1000; ++i) messages.push(event_of(std::to_string(i)));
  messages.push(event_of(""));
  messages.push(event_of(std::string(5000, 'x')));

  for (int i = 0; i < 1000; ++i) ASSERT_EQ(messages.pop().payload.text(), std::to_string(i));
  EXPECT_TRUE(messages.pop().payload.empty());
  EXPECT_EQ(messages.pop().payload.size(), 5000u);
  EXPECT_TRUE(messages.empty());
}

TEST(UnreadMessages, KeepTheirOrderWhateverTheirLength) {
  UnreadMessages messages;
  std::size_t pushed = 0;
  std::size_t popped = 0;
  const auto text_of = [](std::size_t number) {
    return std::string(number % 3 == 0 ? 300 : number % 7, 'a' + number % 26);
  };

  // One more in each round, so that now few wait and now many.
  for (std::size_t round = 1; round < 60; ++round) {
    for (std::size_t i = 0; i < round; ++i) messages.push(event_of(text_of(pushed++)));
    for (std::size_t i = 0; i < round - round % 2; ++i) ASSERT_EQ(messages.pop().payload.text(), text_of(popped++));
  }
  while (popped < pushed) ASSERT_EQ(messages.pop().payload.text(), text_of(popped++));

  EXPECT_TRUE(messages.empty());
}

TEST(UnreadMessages, KeepWhatIsKnownOfThem) {
  const CodecRegistry codecs = CodecRegistry::with_defaults();
  const CompressorRegistry compressors = CompressorRegistry::with_defaults();
  const auto event_number = [&](std::uint32_t number) {
    static std::string text;
    text = std::to_string(number);
    session::Event event = event_of(text);
    event.codec = number % 3 == 0 ? nullptr : codecs.codecs()[number % codecs.codecs().size()].get();
    event.is_compressed = number % 2 == 0 && !compressors.compressors().empty();
    if (event.is_compressed)
      event.compressor = compressors.compressors()[number % compressors.compressors().size()].get();
    event.decompressed_bytes = event.is_compressed ? 70000 + number : 0;
    event.credit = {.call_bytes = number, .further_bytes = 2 * number};
    return event;
  };

  UnreadMessages messages;
  for (std::uint32_t i = 0; i < 300; ++i) messages.push(event_number(i));

  for (std::uint32_t i = 0; i < 300; ++i) {
    const session::Event sent = event_number(i);
    const UnreadMessages::Message message = messages.pop();
    ASSERT_EQ(message.payload.text(), as_text(sent.payload));
    ASSERT_EQ(message.codec, sent.codec);
    ASSERT_EQ(message.compressor, sent.compressor);
    ASSERT_EQ(message.decompressed_bytes, sent.decompressed_bytes);
    ASSERT_EQ(message.credit.call_bytes, sent.credit.call_bytes);
    ASSERT_EQ(message.credit.further_bytes, sent.credit.further_bytes);
  }
}

TEST(UnreadMessages, ShareBlocksIfTheyAreShort) {
  UnreadMessages messages;
  for (int i = 0; i < 1000; ++i) messages.push(event_of("sixteen bytes ok"));

  std::vector<Slice> payloads;
  std::set<const void*> blocks;
  while (!messages.empty()) blocks.insert(payloads.emplace_back(messages.pop().payload).block());

  EXPECT_LE(blocks.size(), 15u);
}

#if defined(__GLIBC__)
TEST(UnreadMessages, TakeNoMoreMemoryThanTheyHaveCostCredit) {
  const auto bytes_in_use = [] {
    const struct mallinfo2 usage = mallinfo2();
    return usage.uordblks + usage.hblkhd;
  };
  constexpr std::size_t count = 500'000;
  constexpr std::size_t cost = 16 + 1;
  const std::size_t before = bytes_in_use();

  UnreadMessages messages;
  for (std::size_t i = 0; i < count; ++i) messages.push(event_of("x"));

  const std::size_t taken = bytes_in_use() - before;
  EXPECT_LE(taken, count * cost + count * cost / 20);
}
#endif

TEST(UnreadMessages, OutliveTheQueue) {
  Slice kept;
  {
    UnreadMessages messages;
    for (int i = 0; i < 10; ++i) messages.push(event_of("message " + std::to_string(i)));
    for (int i = 0; i < 8; ++i) kept = messages.pop().payload;
  }

  EXPECT_EQ(kept.text(), "message 7");
}

}  // namespace
}  // namespace trunkline::call
