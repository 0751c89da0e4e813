// SPDX-License-Identifier: MIT
// share_user_agent(): one object for each text that is in use.
#include "session/user_agent.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace trunkline::session {
namespace {

TEST(UserAgent, IsSharedWhileItIsInUse) {
  UserAgent first = share_user_agent("grpc-go/1.60.0");
  const UserAgent second = share_user_agent("grpc-go/1.60.0");
  const UserAgent other = share_user_agent("grpc-go/1.61.0");

  EXPECT_EQ(first, second);
  EXPECT_EQ(first.use_count(), 2);
  EXPECT_NE(first, other);
  EXPECT_EQ(*first, "grpc-go/1.60.0");
  EXPECT_EQ(*other, "grpc-go/1.61.0");
}

TEST(UserAgent, IsMadeAnewOnceNobodyUsesIt) {
  share_user_agent("short-lived").reset();

  const UserAgent again = share_user_agent("short-lived");

  EXPECT_EQ(*again, "short-lived");
  EXPECT_EQ(again.use_count(), 1);
}

TEST(UserAgent, IsCut) {
  const std::string longest(max_user_agent_bytes, 'x');

  EXPECT_EQ(*share_user_agent(longest), longest);
  EXPECT_EQ(*share_user_agent(longest + "y"), longest);
}

TEST(UserAgent, StaysRightWhileManyComeAndGo) {
  std::vector<UserAgent> kept;
  for (int i = 0; i < 5000; ++i) {
    UserAgent agent = share_user_agent("client/" + std::to_string(i % 700));
    ASSERT_EQ(*agent, "client/" + std::to_string(i % 700));
    if (i % 3 == 0) kept.push_back(std::move(agent));
    if (kept.size() > 300) kept.erase(kept.begin(), kept.begin() + 150);
  }
}

TEST(KnownUserAgents, NumberTextsUntilThereAreTooMany) {
  KnownUserAgents known;
  int forgotten = 0;
  const auto number_of = [&](const std::string& text) { return known.number_of(text, [&] { ++forgotten; }); };
  EXPECT_EQ(known.of(0), nullptr);
  EXPECT_EQ(known.held_bytes(), 0U);

  for (std::uint8_t i = 1; i <= 8; ++i) EXPECT_EQ(number_of("client/" + std::to_string(i)), i);
  for (std::uint8_t i = 1; i <= 8; ++i) {
    EXPECT_EQ(number_of("client/" + std::to_string(i)), i);
    EXPECT_EQ(**known.of(i), "client/" + std::to_string(i));
  }
  EXPECT_EQ(known.held_bytes(), 8 * std::string("client/1").size());
  EXPECT_EQ(forgotten, 0);

  EXPECT_EQ(number_of("client/9"), 1);
  EXPECT_EQ(forgotten, 1);
  EXPECT_EQ(**known.of(1), "client/9");
  EXPECT_EQ(number_of("client/1"), 2);
  const std::string longest(max_user_agent_bytes, 'x');
  EXPECT_EQ(number_of(longest + "y"), 3);
  EXPECT_EQ(number_of(longest + "z"), 3);
}

TEST(UserAgent, OutlivesTheThreadThatMadeIt) {
  UserAgent agent;
  std::thread([&agent] { agent = share_user_agent("of another thread"); }).join();

  EXPECT_EQ(*agent, "of another thread");
  EXPECT_EQ(*share_user_agent("of another thread"), "of another thread");
}

}  // namespace
}  // namespace trunkline::session
