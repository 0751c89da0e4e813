// SPDX-License-Identifier: MIT
// The count of connections in a server and in each of its loops.
#include "server/connection_limit.h"

#include <gtest/gtest.h>

#include <optional>

namespace trunkline::server {

namespace {

LoopLoad make_load() { return std::make_shared<std::atomic<std::size_t>>(0); }

TEST(ConnectionLimit, CountsForTheServerAndForTheLoop) {
  ConnectionLimit limit(2);
  const LoopLoad one = make_load();
  const LoopLoad two = make_load();

  net::ConnectionPermit first = limit.acquire(one);
  const net::ConnectionPermit second = limit.acquire(two);
  const net::ConnectionPermit refused = limit.acquire(one);

  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
  EXPECT_FALSE(refused);
  EXPECT_EQ(*one, 1u);
  EXPECT_EQ(*two, 1u);
}

TEST(ConnectionLimit, CountsAConnectionUntilThePermitIsReleased) {
  ConnectionLimit limit(1);
  const LoopLoad load = make_load();
  net::ConnectionPermit permit = limit.acquire(load);
  net::ConnectionPermit copy = permit;

  permit.reset();
  const bool is_counted = !limit.acquire(load);
  copy.reset();

  EXPECT_TRUE(is_counted);
  EXPECT_EQ(*load, 0u);
  EXPECT_TRUE(limit.acquire(load));
}

TEST(ConnectionLimit, MayEndBeforeItsPermits) {
  std::optional<ConnectionLimit> limit(1);
  const LoopLoad load = make_load();
  net::ConnectionPermit permit = limit->acquire(load);

  limit.reset();
  permit.reset();

  EXPECT_EQ(*load, 0u);
}

}  // namespace

}  // namespace trunkline::server
