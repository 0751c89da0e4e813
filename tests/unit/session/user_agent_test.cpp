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

TEST(KnownUserAgents, NumberTextsUntilTheyAreFull) {
  KnownUserAgents known;
  EXPECT_EQ(known.find("a"), 0);
  EXPECT_EQ(known.of(0), nullptr);
  EXPECT_EQ(known.held_bytes(), 0U);

  std::vector<std::string> texts;
  while (!known.is_full()) {
    texts.push_back("client/" + std::to_string(texts.size()));
    EXPECT_EQ(known.add(texts.back()), texts.size());
  }

  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(known.find(texts[i]), i + 1);
    EXPECT_EQ(**known.of(known.find(texts[i])), texts[i]);
  }
  EXPECT_EQ(known.held_bytes(), texts.size() * texts[0].size());
  known.clear();
  EXPECT_EQ(known.find(texts[0]), 0);
  const std::string longest(max_user_agent_bytes, 'x');
  EXPECT_EQ(known.add(longest + "y"), 1);
  EXPECT_EQ(known.find(longest + "z"), 1);
}

TEST(UserAgent, OutlivesTheThreadThatMadeIt) {
  UserAgent agent;
  std::thread([&agent] { agent = share_user_agent("of another thread"); }).join();

  EXPECT_EQ(*agent, "of another thread");
  EXPECT_EQ(*share_user_agent("of another thread"), "of another thread");
}

}  // namespace
}  // namespace trunkline::session
