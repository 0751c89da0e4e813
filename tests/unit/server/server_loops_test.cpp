// SPDX-License-Identifier: MIT
// The loops of a server: whose they are, and which one gets a connection.
#include "server/server_loops.h"

#include <gtest/gtest.h>

namespace trunkline::server {

namespace {

std::shared_ptr<ServerState> make_state(std::size_t loops) {
  ServerOptions options;
  options.loops = loops;
  return std::make_shared<ServerState>(options);
}

TEST(ServerLoops, AreTheServersOwnOrTheUsers) {
  const auto state = make_state(2);
  net::Loop loop;
  const ServerLoops own(state);
  const ServerLoops users(state, loop);

  EXPECT_TRUE(own.are_own());
  EXPECT_EQ(own.size(), 2u);
  EXPECT_FALSE(users.are_own());
  ASSERT_EQ(users.size(), 1u);
  EXPECT_EQ(&users.first().net_loop(), &loop);
}

TEST(ServerLoops, ChooseTheOneWithTheFewestConnections) {
  const auto state = make_state(3);
  const ServerLoops loops(state);
  const net::ConnectionPermit first = loops[0]->acquire_permit("");
  net::ConnectionPermit second = loops[1]->acquire_permit("");
  const net::ConnectionPermit third = loops[2]->acquire_permit("");
  const net::ConnectionPermit fourth = loops[2]->acquire_permit("");

  ServerLoop& among_equals = loops.least_loaded();
  second.reset();
  ServerLoop& emptied = loops.least_loaded();

  EXPECT_EQ(&among_equals, loops[0].get()) << "the first of those that have as many";
  EXPECT_EQ(&emptied, loops[1].get());
}

TEST(ServerLoops, KnowTheThreadThatRunsOne) {
  const auto state = make_state(2);
  ServerLoops loops(state);
  bool inside = false;
  loops[1]->net_loop().post([&] { inside = loops.is_current(); });

  loops.poll();

  EXPECT_TRUE(inside);
  EXPECT_FALSE(loops.is_current());
}

}  // namespace

}  // namespace trunkline::server
