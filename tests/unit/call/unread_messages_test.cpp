// SPDX-License-Identifier: MIT
// Messages that wait for the application.
#include "call/unread_messages.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

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

TEST(UnreadMessages, ShareBlocksIfTheyAreShort) {
  UnreadMessages messages;
  for (int i = 0; i < 1000; ++i) messages.push(event_of("sixteen bytes ok"));

  std::set<const void*> blocks;
  for (const UnreadMessages::Message& message : messages) blocks.insert(message.payload.block());

  EXPECT_LE(blocks.size(), 10u);
}

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
