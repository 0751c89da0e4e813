// SPDX-License-Identifier: MIT
// What keys below a prefix stand for.
#include "naming/etcd/announced_servers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trunkline::naming::etcd {
namespace {

std::string at(const std::string& host, const std::string& more = "") {
  return R"({"address": ")" + host + R"(:1")" + more + "}";
}

std::vector<std::string> hosts(const AnnouncedServers& servers) {
  std::vector<std::string> found;
  for (const ResolvedServer& server : servers.resolution().servers) found.push_back(server.endpoint.host());
  return found;
}

using Hosts = std::vector<std::string>;

TEST(AnnouncedServers, FollowChanges) {
  AnnouncedServers servers("tcp");
  EXPECT_FALSE(servers.has_servers());

  EXPECT_TRUE(servers.replace({{"p/2", at("b"), 1}, {"p/1", at("a"), 2}}).empty());
  EXPECT_EQ(hosts(servers), (Hosts{"a", "b"}));
  EXPECT_TRUE(servers.apply({{"p/3", at("c"), 3}, {"p/1", "", 4, true}, {"p/2", at("d"), 5}}).empty());
  EXPECT_EQ(hosts(servers), (Hosts{"d", "c"}));
  EXPECT_TRUE(servers.replace({{"p/9", at("z"), 9}}).empty());
  EXPECT_EQ(hosts(servers), (Hosts{"z"}));
}

TEST(AnnouncedServers, SkipAValueThatIsWrong) {
  AnnouncedServers servers("tcp");

  const std::vector<std::string> problems = servers.replace({{"p/1", at("a"), 1}, {"p/\n", "{", 2}});

  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(problems[0].starts_with("key p/?: decode json")) << problems[0];
  EXPECT_EQ(hosts(servers), (Hosts{"a"}));
  EXPECT_EQ(servers.apply({{"p/1", "[]", 3}}), (std::vector<std::string>{"key p/1: the text: is not an object"}));
  EXPECT_FALSE(servers.has_servers());
}

TEST(AnnouncedServers, ReportAWrongValueOnce) {
  AnnouncedServers servers("tcp");
  EXPECT_EQ(servers.replace({{"p/1", "{", 1}}).size(), 1u);

  EXPECT_TRUE(servers.replace({{"p/1", "{", 1}}).empty());
  EXPECT_EQ(servers.replace({{"p/1", "{", 2}}).size(), 1u);
}

TEST(AnnouncedServers, HaveTheServiceConfigThatWasWrittenLast) {
  AnnouncedServers servers("tcp");
  static_cast<void>(servers.replace({{"p/1", at("a", R"(, "service_config": {"n": 1})"), 7},
                                     {"p/2", at("b", R"(, "service_config": {"n": 2})"), 5},
                                     {"p/3", at("c"), 9}}));

  EXPECT_EQ(servers.resolution().service_config, R"({"n":1})");
}

}  // namespace
}  // namespace trunkline::naming::etcd
