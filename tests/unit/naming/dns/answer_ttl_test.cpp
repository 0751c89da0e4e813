// SPDX-License-Identifier: MIT
// The time to live of a message.
#include "naming/dns/answer_ttl.h"

#include <gtest/gtest.h>

#include <vector>

namespace trunkline::naming::dns {
namespace {

/// One question for "a", and answers with these times to live.
std::vector<unsigned char> message(std::initializer_list<unsigned> times) {
  std::vector<unsigned char> bytes{0, 1,   0x81, 0x80, 0,  1, 0, static_cast<unsigned char>(times.size()), 0, 0, 0, 0,
                                   1, 'a', 0,    0,    33, 0, 1};
  for (const unsigned time : times) {
    const std::vector<unsigned char> record{0xC0,
                                            12,
                                            0,
                                            33,
                                            0,
                                            1,
                                            static_cast<unsigned char>(time >> 24),
                                            static_cast<unsigned char>(time >> 16),
                                            static_cast<unsigned char>(time >> 8),
                                            static_cast<unsigned char>(time),
                                            0,
                                            2,
                                            7,
                                            7};
    bytes.insert(bytes.end(), record.begin(), record.end());
  }
  return bytes;
}

TEST(AnswerTtl, IsTheLowest) {
  EXPECT_EQ(answer_ttl(message({300, 20, 70000})), 20u);
  EXPECT_EQ(answer_ttl(message({70000})), 70000u);
  EXPECT_EQ(answer_ttl(message({0x80000000u, 5})), 0u);
}

TEST(AnswerTtl, IsNoneWithoutAnswers) { EXPECT_EQ(answer_ttl(message({})), std::nullopt); }

TEST(AnswerTtl, IsNoneForAMessageThatEndsEarly) {
  const auto whole = message({300, 20});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(answer_ttl(std::span(whole).first(size)), std::nullopt) << size;
  }
}

}  // namespace
}  // namespace trunkline::naming::dns
