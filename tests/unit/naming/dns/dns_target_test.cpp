// SPDX-License-Identifier: MIT
// Which URIs are names in the DNS, and what they ask for.
#include "naming/dns/dns_target.h"

#include <gtest/gtest.h>

namespace trunkline::naming::dns {
namespace {

DnsTarget parsed(std::string_view uri) { return DnsTarget::parse(Target::parse(uri).value()).value(); }

std::string problem(std::string_view uri) {
  return std::string(DnsTarget::parse(Target::parse(uri).value()).status().message());
}

TEST(DnsTarget, HasHostAndPort) {
  const DnsTarget target = parsed("dns:///orders.example.com:4000");
  EXPECT_EQ(target.name_server, "");
  EXPECT_EQ(target.host, "orders.example.com");
  EXPECT_EQ(target.port, 4000);
  EXPECT_FALSE(target.uses_srv);
  EXPECT_EQ(target.min_refresh, std::chrono::seconds(30));
  EXPECT_EQ(target.host_name(target.port), "orders.example.com:4000");
}

TEST(DnsTarget, NamesItsNameServer) {
  EXPECT_EQ(parsed("dns://10.0.0.2/a:1").name_server, "10.0.0.2:53");
  EXPECT_EQ(parsed("dns://10.0.0.2:5353/a:1").name_server, "10.0.0.2:5353");
  EXPECT_EQ(parsed("dns://[::1]:5353/a:1").name_server, "[::1]:5353");
}

TEST(DnsTarget, AsksForServicesWithoutAPortOrByRequest) {
  EXPECT_TRUE(parsed("dns:///_orders._tcp.example.com").uses_srv);
  EXPECT_TRUE(parsed("dns:///orders.example.com:4000?srv=1").uses_srv);
  EXPECT_EQ(parsed("dns:///_orders._tcp.example.com.").host_name(7), "example.com:7");
}

TEST(DnsTarget, KnowsAddresses) {
  const DnsTarget target = parsed("dns:///[::1]:4000");
  EXPECT_TRUE(target.is_numeric());
  EXPECT_EQ(target.host, "::1");
  EXPECT_EQ(target.host_name(4000), "");
  EXPECT_FALSE(parsed("dns:///a.example:4000").is_numeric());
}

TEST(DnsTarget, ReadsTheShortestTimeBetweenLookups) {
  EXPECT_EQ(parsed("dns:///a:1?min_refresh=0.5").min_refresh, std::chrono::milliseconds(500));
  EXPECT_EQ(parsed("dns:///a:1?srv=0&min_refresh=2").min_refresh, std::chrono::seconds(2));
}

TEST(DnsTarget, AsksForServiceConfigsByRequest) {
  EXPECT_FALSE(parsed("dns:///a.example:4000").uses_service_config);
  EXPECT_TRUE(parsed("dns:///a.example:4000?service_config=1").uses_service_config);
  EXPECT_FALSE(parsed("dns:///10.0.0.1:4000?service_config=1").uses_service_config);
}

TEST(DnsTarget, KnowsTheDomainOfAService) {
  EXPECT_EQ(parsed("dns:///_orders._tcp.example.com.").domain(), "example.com.");
  EXPECT_EQ(parsed("dns:///a.example:4000").domain(), "a.example");
  EXPECT_EQ(parsed("dns:///_orders:4000").domain(), "_orders");
  EXPECT_EQ(parsed("dns:///_orders.:4000").domain(), "_orders.");
}

TEST(DnsTarget, RefusesWhatIsMalformed) {
  EXPECT_NE(problem("dns://ns.example/a:1").find("the name server is not an address"), std::string::npos);
  EXPECT_NE(problem("dns://10.0.0.1:0/a:1").find("port of the name server"), std::string::npos);
  for (const char* const uri :
       {"dns:///", "dns:///:1", "dns:///a b:1", "dns:///a/b:1", "dns:///[::1", "dns:///[::1]1"}) {
    EXPECT_NE(problem(uri).find("is not a name or address"), std::string::npos) << uri;
  }
  for (const char* const uri : {"dns:///a:", "dns:///a:0", "dns:///a:65536", "dns:///a:x"}) {
    EXPECT_NE(problem(uri).find("the port is not 1 to 65535"), std::string::npos) << uri;
  }
  EXPECT_NE(problem("dns:///10.0.0.1").find("an address needs a port"), std::string::npos);
  EXPECT_NE(problem("dns:///a?srv=0").find("a port is needed"), std::string::npos);
  EXPECT_NE(problem("dns:///a:1?srv=yes").find("srv is not 0 or 1"), std::string::npos);
  for (const char* const uri : {"dns:///a:1?min_refresh=", "dns:///a:1?min_refresh=0", "dns:///a:1?min_refresh=nan"}) {
    EXPECT_NE(problem(uri).find("min_refresh is not"), std::string::npos) << uri;
  }
  EXPECT_NE(problem("dns:///a:1?service_config=on").find("service_config is not 0 or 1"), std::string::npos);
  EXPECT_NE(problem("dns:///a:1?ttl=1").find("unknown parameter 'ttl'"), std::string::npos);
}

}  // namespace
}  // namespace trunkline::naming::dns
