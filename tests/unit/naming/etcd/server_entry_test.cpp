// SPDX-License-Identifier: MIT
// The values of keys.
#include "naming/etcd/server_entry.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::naming::etcd {
namespace {

TEST(ServerEntry, HasTheMembersOfAServer) {
  const ServerEntry entry =
      ServerEntry::read(R"({"address": "10.0.0.1:4000", "weight": 2, "zone": "a", "priority": 1, "host_name": "x:1",
                            "service_config": {"methodConfig": []}})",
                        "grpc")
          .value();

  EXPECT_EQ(entry.server.endpoint.to_string(), "grpc://10.0.0.1:4000");
  EXPECT_EQ(entry.server.weight, 2);
  EXPECT_EQ(entry.server.zone, "a");
  EXPECT_EQ(entry.server.priority, 1u);
  EXPECT_EQ(entry.server.host_name, "x:1");
  EXPECT_EQ(entry.service_config, R"({"methodConfig":[]})");
}

TEST(ServerEntry, ReadsTheFormatOfGrpc) {
  const ServerEntry entry =
      ServerEntry::read(R"({"Op":0,"Addr":"10.0.0.1:4000","Metadata":{"weight":3}})", "grpc").value();

  EXPECT_EQ(entry.server, (ResolvedServer{.endpoint = Endpoint::parse("grpc://10.0.0.1:4000").value()}));
}

TEST(ServerEntry, WritesWhatBothCanRead) {
  const ResolvedServer server{.endpoint = Endpoint::parse("tls://db:4000").value(),
                              .weight = 0.5,
                              .zone = "a\"b",
                              .priority = 2,
                              .host_name = "orders"};

  const std::string text = ServerEntry::write(server);

  EXPECT_EQ(ServerEntry::read(text, "tcp").value().server, server);
  EXPECT_NE(text.find(R"("Op":0,"Addr":"db:4000")"), std::string::npos) << text;
}

TEST(ServerEntry, WritesAnAddressWithoutHostForUsOnly) {
  const ResolvedServer server{.endpoint = Endpoint::parse("unix:///run/x").value()};

  EXPECT_EQ(ServerEntry::write(server), R"({"uri":"unix:///run/x"})");
}

struct Refused {
  const char* text;
  const char* problem;
};

class RefusedServerEntry : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedServerEntry, SaysWhatIsWrong) {
  const Result<ServerEntry> entry = ServerEntry::read(GetParam().text, "tcp");

  ASSERT_FALSE(entry.is_ok());
  const std::string text(entry.status().message());
  EXPECT_NE(text.find(GetParam().problem), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedServerEntry,
    ::testing::Values(Refused{"", "json"}, Refused{"10.0.0.1:4000", "json"},
                      Refused{"[]", "the text: is not an object"},
                      Refused{"{}", "the text: needs either uri or address"},
                      Refused{R"({"Addr": 1})", "Addr: is not text"},
                      Refused{R"({"Op": 1, "Addr": "a:1"})", "Op: is not 0"},
                      Refused{R"({"address": "a:1", "weight": 0})", "weight: is not a number above 0"},
                      Refused{R"({"address": "a:1", "port": 0})", "port: unknown, use uri"},
                      Refused{R"({"address": "a:1", "service_config": []})", "service_config: is not an object"}));

}  // namespace
}  // namespace trunkline::naming::etcd
