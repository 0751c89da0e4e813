// SPDX-License-Identifier: MIT
// Networks in CIDR notation, and the addresses in them.
#include "net/address_networks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trunkline::net {

namespace {

bool is_in(const std::string& network, std::string_view address) {
  const std::vector<std::string> networks{network};
  const Result<AddressNetworks> parsed = AddressNetworks::parse(networks);
  EXPECT_TRUE(parsed.is_ok()) << network;
  return parsed.is_ok() && parsed->contains(address);
}

TEST(AddressNetworks, ContainTheAddressesOfTheirPrefix) {
  EXPECT_TRUE(is_in("10.0.0.0/8", "tcp://10.255.3.4:1"));
  EXPECT_FALSE(is_in("10.0.0.0/8", "tcp://11.0.0.0:1"));
  EXPECT_TRUE(is_in("192.0.2.128/25", "tls://192.0.2.200:1"));
  EXPECT_FALSE(is_in("192.0.2.128/25", "tls://192.0.2.127:1"));
  EXPECT_TRUE(is_in("192.0.2.1", "tcp://192.0.2.1:65535"));
  EXPECT_FALSE(is_in("192.0.2.1", "tcp://192.0.2.2:1"));
  EXPECT_TRUE(is_in("0.0.0.0/0", "tcp://203.0.113.7:1"));
  EXPECT_FALSE(is_in("0.0.0.0/0", "tcp://[2001:db8::1]:1"));
  EXPECT_TRUE(is_in("::/0", "tcp://[2001:db8::1]:1"));
  EXPECT_TRUE(is_in("fd00::/8", "tcp://[fd12::1%eth0]:1"));
  EXPECT_FALSE(is_in("fd00::/8", "tcp://[fe80::1]:1"));
}

TEST(AddressNetworks, TakeIpv4InIpv6FormForIpv4) {
  EXPECT_TRUE(is_in("10.0.0.0/8", "tcp://[::ffff:10.1.2.3]:1"));
  EXPECT_TRUE(is_in("::ffff:10.0.0.0/104", "tcp://10.1.2.3:1"));
}

TEST(AddressNetworks, KnowUnixSockets) {
  EXPECT_TRUE(is_in("unix:", "unix:"));
  EXPECT_TRUE(is_in("unix:", "unix:///run/client"));
  EXPECT_FALSE(is_in("0.0.0.0/0", "unix:"));
  EXPECT_FALSE(is_in("unix:", "tcp://127.0.0.1:1"));
  EXPECT_FALSE(is_in("unix:", "inproc://name"));
}

TEST(AddressNetworks, RefuseWhatIsNone) {
  for (const std::string text :
       {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8x", "10.0.0/8", "fd00::/129", "host", "10.0.0.0/-1", "/8", "unix"}) {
    const std::vector<std::string> networks{text};
    EXPECT_EQ(AddressNetworks::parse(networks).status().code(), StatusCode::invalid_argument) << text;
  }
  EXPECT_TRUE(AddressNetworks::parse({})->empty());
}

}  // namespace

}  // namespace trunkline::net
