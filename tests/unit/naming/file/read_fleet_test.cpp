// SPDX-License-Identifier: MIT
// What a file may list, and how its mistakes are told.
#include "naming/file/read_fleet.h"

#include <gtest/gtest.h>

namespace trunkline::naming::file {
namespace {

std::string problem(std::string_view text) {
  const Result<Resolution> read = read_fleet(text, "tcp");
  EXPECT_FALSE(read.is_ok()) << text;
  return std::string(read.status().message());
}

TEST(ReadFleet, ReadsEveryMember) {
  const Resolution read = read_fleet(R"({
    "servers": [
      {"address": "10.0.0.1:4000", "weight": 2.5, "zone": "a", "priority": 1, "host_name": "orders.example:4000"},
      {"uri": "unix:///run/orders.sock"}
    ],
    "service_config": {"methodConfig": [{"timeout": "1s"}]}
  })",
                                     "grpcs")
                              .value();

  ASSERT_EQ(read.servers.size(), 2u);
  EXPECT_EQ(read.servers[0], (ResolvedServer{.endpoint = Endpoint::parse("grpcs://10.0.0.1:4000").value(),
                                             .weight = 2.5,
                                             .zone = "a",
                                             .priority = 1,
                                             .host_name = "orders.example:4000"}));
  EXPECT_EQ(read.servers[1], (ResolvedServer{.endpoint = Endpoint::parse("unix:///run/orders.sock").value()}));
  EXPECT_EQ(read.service_config, R"({"methodConfig":[{"timeout":"1s"}]})");
}

TEST(ReadFleet, MayListNoServers) { EXPECT_TRUE(read_fleet(R"({"servers": []})", "tcp").value().servers.empty()); }

TEST(ReadFleet, TellsLineAndColumn) {
  EXPECT_EQ(problem("{\n  \"servers\": [}\n"), "line 2, column 15: syntax error");
  EXPECT_EQ(problem("}"), "line 1, column 1: syntax error");
  EXPECT_EQ(problem("").substr(0, 16), "line 1, column 1");
}

TEST(ReadFleet, NamesWhatIsWrong) {
  EXPECT_EQ(problem("[]"), "the text: is not an object");
  EXPECT_EQ(problem("{}"), "servers: is missing");
  EXPECT_EQ(problem(R"({"server": []})"), "server: unknown, use servers, service_config");
  EXPECT_EQ(problem(R"({"servers": {}})"), "servers: is not an array");
  EXPECT_EQ(problem(R"({"servers": [], "service_config": "{}"})"), "service_config: is not an object");
  EXPECT_EQ(problem(R"({"servers": [1]})"), "servers[0]: is not an object");
  EXPECT_EQ(problem(R"({"servers": [{"zone": "a"}]})"), "servers[0]: needs either uri or address");
  EXPECT_EQ(problem(R"({"servers": [{"uri": "tcp://a:1", "address": "a:1"}]})"),
            "servers[0]: needs either uri or address");
  const std::pair<const char*, const char*> members[] = {
      {R"("wieght": 1)", "wieght: unknown, use uri, address, weight, zone, priority, host_name"},
      {R"("weight": 0)", "weight: is not a number above 0, at most 1e6"},
      {R"("weight": 1000001)", "weight: is not a number above 0, at most 1e6"},
      {R"("weight": "1")", "weight: is not a number above 0, at most 1e6"},
      {R"("priority": -1)", "priority: is not 0 to 4294967295"},
      {R"("priority": 4294967296)", "priority: is not 0 to 4294967295"},
      {R"("priority": 1.0)", "priority: is not 0 to 4294967295"},
      {R"("zone": 1)", "zone: is not text"},
      {R"("host_name": null)", "host_name: is not text"}};
  for (const auto& [member, text] : members) {
    EXPECT_EQ(problem(R"({"servers": [{"address": "a:1", )" + std::string(member) + "}]}"),
              "servers[0]." + std::string(text));
  }
  EXPECT_EQ(problem(R"({"servers": [{"address": 1}]})"), "servers[0].address: is not text");
  EXPECT_NE(problem(R"({"servers": [{"address": "a:x"}]})").find("servers[0].address: parse endpoint"),
            std::string::npos);
}

}  // namespace
}  // namespace trunkline::naming::file
