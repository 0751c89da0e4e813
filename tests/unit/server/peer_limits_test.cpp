// SPDX-License-Identifier: MIT
// How peers are told apart, and what they share.
#include "server/peer_limits.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::server {

namespace {

TEST(PeerLimits, TellHostsApartAndNotPorts) {
  EXPECT_EQ(PeerLimits::key_of("tcp://127.0.0.1:40312"), "127.0.0.1");
  EXPECT_EQ(PeerLimits::key_of("tls://10.1.2.3:1"), "10.1.2.3");
}

TEST(PeerLimits, TakeANetworkOfIpv6AsOnePeer) {
  EXPECT_EQ(PeerLimits::key_of("tcp://[2001:db8:1:2:3:4:5:6]:80"), PeerLimits::key_of("tcp://[2001:db8:1:2::9]:81"));
  EXPECT_NE(PeerLimits::key_of("tcp://[2001:db8:1:2::1]:80"), PeerLimits::key_of("tcp://[2001:db8:1:3::1]:80"));
  EXPECT_NE(PeerLimits::key_of("tcp://[::ffff:10.0.0.1]:80"), PeerLimits::key_of("tcp://[::ffff:10.0.0.2]:80"));
}

TEST(PeerLimits, DoNotTellLocalPeersApart) {
  const session::MemoryBudget budget(1 << 20, 1);
  PeerLimits limits(budget, 50);

  for (const std::string_view address : {"unix:", "inproc://x", "", "nonsense"}) {
    EXPECT_EQ(PeerLimits::key_of(address), "") << address;
    EXPECT_EQ(limits.share_of(address), nullptr) << address;
  }
}

TEST(PeerLimits, ShareAsLongAsAnyoneHoldsTheShare) {
  const session::MemoryBudget budget(1 << 20, 1);
  PeerLimits limits(budget, 50);
  std::shared_ptr<PeerShare> first = limits.share_of("tcp://127.0.0.1:1");
  first->calls = 5;

  EXPECT_EQ(limits.share_of("tcp://127.0.0.1:2")->calls, 5u);
  EXPECT_EQ(limits.share_of("tcp://127.0.0.2:1")->calls, 0u);
  for (int i = 0; i < 1000; ++i) static_cast<void>(limits.share_of("tcp://10.0." + std::to_string(i) + ".1:1"));
  EXPECT_EQ(limits.share_of("tcp://127.0.0.1:2")->calls, 5u);
  first.reset();
  EXPECT_EQ(limits.share_of("tcp://127.0.0.1:2")->calls, 0u);
}

TEST(PeerLimits, GiveEachAddressAnAccountOfMemory) {
  const session::MemoryBudget budget(1 << 20, 1);
  PeerLimits limits(budget, 30);
  const std::shared_ptr<session::MemoryAccount> first = limits.account_of(limits.share_of("tcp://127.0.0.1:1"));

  EXPECT_EQ(first->max_bytes(), (1u << 20) / 100 * 30);
  EXPECT_EQ(limits.account_of(limits.share_of("tls://127.0.0.1:2")), first);
  EXPECT_NE(limits.account_of(limits.share_of("tcp://127.0.0.2:1")), first);
  EXPECT_EQ(limits.account_of(limits.share_of("unix:")), limits.account_of(limits.share_of("inproc://x")));
  EXPECT_NE(limits.account_of(limits.share_of("unix:")), nullptr);
}

TEST(PeerLimits, GiveNoAccountIfAnAddressMayHoldAll) {
  const session::MemoryBudget budget(1 << 20, 1);
  PeerLimits limits(budget, 100);

  EXPECT_EQ(limits.account_of(limits.share_of("tcp://127.0.0.1:1")), nullptr);
  EXPECT_EQ(limits.account_of(limits.share_of("unix:")), nullptr);
}

}  // namespace

}  // namespace trunkline::server
