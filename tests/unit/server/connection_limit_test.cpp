// SPDX-License-Identifier: MIT
// The count of connections in a server and in each of its loops.
#include "server/connection_limit.h"

#include "unit/server/refused_memory.h"

#include <gtest/gtest.h>

#include <new>
#include <optional>

namespace trunkline::server {

namespace {

LoopLoad make_load() { return std::make_shared<std::atomic<std::size_t>>(0); }

TEST(ConnectionLimit, CountsForTheServerAndForTheLoop) {
  ConnectionLimit limit(2, 100);
  const LoopLoad one = make_load();
  const LoopLoad two = make_load();

  net::ConnectionPermit first = limit.acquire(one, nullptr);
  const net::ConnectionPermit second = limit.acquire(two, nullptr);
  const net::ConnectionPermit refused = limit.acquire(one, nullptr);

  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
  EXPECT_FALSE(refused);
  EXPECT_EQ(*one, 1u);
  EXPECT_EQ(*two, 1u);
}

TEST(ConnectionLimit, CountsAConnectionUntilThePermitIsReleased) {
  ConnectionLimit limit(1, 100);
  const LoopLoad load = make_load();
  net::ConnectionPermit permit = limit.acquire(load, nullptr);
  net::ConnectionPermit copy = permit;

  permit.reset();
  const bool is_counted = !limit.acquire(load, nullptr);
  copy.reset();

  EXPECT_TRUE(is_counted);
  EXPECT_EQ(*load, 0u);
  EXPECT_TRUE(limit.acquire(load, nullptr));
}

TEST(ConnectionLimit, CountsForThePeer) {
  ConnectionLimit limit(10, 2);
  const LoopLoad load = make_load();
  const auto peer = std::make_shared<PeerShare>();
  const auto other = std::make_shared<PeerShare>();

  net::ConnectionPermit first = limit.acquire(load, peer);
  const net::ConnectionPermit second = limit.acquire(load, peer);
  const bool is_refused = !limit.acquire(load, peer);

  EXPECT_TRUE(is_refused);
  EXPECT_EQ(limit.refusal(peer.get()), "the peer address's connections have reached max_connections_per_peer 2");
  EXPECT_EQ(*load, 2u);
  EXPECT_TRUE(limit.acquire(load, other));
  first.reset();
  EXPECT_TRUE(limit.acquire(load, peer));
}

TEST(ConnectionLimit, LeavesToOthersWhatAPeerIsRefused) {
  ConnectionLimit limit(2, 1);
  const LoopLoad load = make_load();
  const auto peer = std::make_shared<PeerShare>();
  const net::ConnectionPermit first = limit.acquire(load, peer);

  const bool is_refused = !limit.acquire(load, peer);

  EXPECT_TRUE(is_refused);
  EXPECT_TRUE(limit.acquire(load, std::make_shared<PeerShare>()));
}

TEST(ConnectionLimit, CountsNothingIfThereIsNoMemory) {
  if (!RefusedMemory::is_supported()) GTEST_SKIP() << "memory cannot be refused in this build";
  ConnectionLimit limit(1, 1);
  const LoopLoad load = make_load();
  const auto peer = std::make_shared<PeerShare>();
  bool has_thrown = false;

  try {
    const RefusedMemory refused;
    static_cast<void>(limit.acquire(load, peer));
  } catch (const std::bad_alloc&) {
    has_thrown = true;
  }

  EXPECT_TRUE(has_thrown);
  EXPECT_EQ(*load, 0u);
  EXPECT_EQ(peer->connections, 0u);
  EXPECT_TRUE(limit.acquire(load, peer));
}

TEST(ConnectionLimit, KnowsThePeerOfAPermit) {
  ConnectionLimit limit(2, 2);
  const auto peer = std::make_shared<PeerShare>();

  EXPECT_EQ(ConnectionLimit::peer_of(limit.acquire(make_load(), peer)), peer);
  EXPECT_EQ(ConnectionLimit::peer_of(limit.acquire(make_load(), nullptr)), nullptr);
  EXPECT_EQ(ConnectionLimit::peer_of({}), nullptr);
}

TEST(ConnectionLimit, MayEndBeforeItsPermits) {
  std::optional<ConnectionLimit> limit(std::in_place, 1, 100);
  const LoopLoad load = make_load();
  net::ConnectionPermit permit = limit->acquire(load, nullptr);

  limit.reset();
  permit.reset();

  EXPECT_EQ(*load, 0u);
}

}  // namespace

}  // namespace trunkline::server
