// SPDX-License-Identifier: MIT
// What a real name server answers.
#include "naming/dns/ares_lookup.h"

#include "unit/naming/dns/name_server.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace trunkline::naming::dns {
namespace {

using namespace std::chrono_literals;
using Record = NameServer::Record;

class AresLookupAtServer : public ::testing::Test {
 protected:
  static Record a(unsigned char last, unsigned ttl = 60) { return {.ttl = ttl, .data = {127, 0, 0, last}}; }
  static Record aaaa(unsigned ttl = 60) {
    NameServer::Bytes loopback(16, 0);
    loopback.back() = 1;
    return {.type = NameServer::type_aaaa, .ttl = ttl, .data = loopback};
  }
  void has(const std::string& name, int type, std::vector<Record> records) {
    server.answers[{name, type}] = {.records = std::move(records)};
  }
  /// The name exists, and has no such records.
  void has_neither(const std::string& name) {
    has(name, NameServer::type_a, {});
    has(name, NameServer::type_aaaa, {});
  }
  void begin(const std::string& name, const std::string& query = "") {
    const Target target = Target::parse("dns://" + server.address() + "/" + name + query).value();
    lookup = std::make_unique<AresLookup>(loop, DnsTarget::parse(target).value(), target.server_scheme);
    lookup->start([this](DnsAnswer found) { answer = std::move(found); });
  }
  void look_up(const std::string& name, const std::string& query = "") {
    answer.reset();
    begin(name, query);
    ASSERT_FALSE(answer) << "never from within start()";
    ASSERT_TRUE(loop.run_until([this] { return answer.has_value(); }, loop.read_clock() + 60s));
  }
  std::vector<std::string> endpoints() const {
    std::vector<std::string> found;
    for (const auto& server_found : answer->servers) found.push_back(server_found.endpoint.to_string());
    std::sort(found.begin(), found.end());
    return found;
  }

  net::Loop loop{};
  bool is_open = loop.open().is_ok();
  NameServer server{loop.context()};
  std::optional<DnsAnswer> answer;
  std::unique_ptr<AresLookup> lookup;
};

TEST_F(AresLookupAtServer, FindsAddressesOfBothKinds) {
  has("fleet.test", NameServer::type_a, {a(1, 300), a(2, 40)});
  has("fleet.test", NameServer::type_aaaa, {aaaa(50)});

  look_up("fleet.test.:4000");

  EXPECT_TRUE(answer->status.is_ok()) << answer->status.to_string();
  EXPECT_EQ(endpoints(),
            (std::vector<std::string>{"tcp://127.0.0.1:4000", "tcp://127.0.0.2:4000", "tcp://[::1]:4000"}));
  EXPECT_EQ(answer->time_to_live, 40s);
  EXPECT_EQ(answer->servers[0].host_name, "fleet.test:4000");
  EXPECT_EQ(server.questions.size(), 2U) << "no search domains";
}

TEST_F(AresLookupAtServer, FindsOneKindAlone) {
  has_neither("fleet.test");
  has("fleet.test", NameServer::type_aaaa, {aaaa()});

  look_up("fleet.test.:4000");

  EXPECT_EQ(endpoints(), std::vector<std::string>{"tcp://[::1]:4000"});
}

TEST_F(AresLookupAtServer, FollowsAliases) {
  has_neither("fleet.test");
  has("fleet.test", NameServer::type_a,
      {{.type = NameServer::type_cname, .ttl = 7, .data = NameServer::name_bytes("b.test")},
       {.name = "b.test", .type = NameServer::type_cname, .ttl = 90, .data = NameServer::name_bytes("c.test")},
       {.name = "c.test", .data = {127, 0, 0, 3}}});

  look_up("fleet.test.:4000");

  EXPECT_EQ(endpoints(), std::vector<std::string>{"tcp://127.0.0.3:4000"});
  EXPECT_EQ(answer->time_to_live, 7s);
}

TEST_F(AresLookupAtServer, AsksAgainOverTcpForWhatIsTruncated) {
  has_neither("fleet.test");
  std::vector<Record> many;
  for (unsigned char last = 1; last <= 200; ++last) many.push_back(a(last));
  server.answers[{"fleet.test", NameServer::type_a}] = {.records = many, .is_truncated_over_udp = true};

  look_up("fleet.test.:4000");

  EXPECT_EQ(answer->servers.size(), 200u);
  EXPECT_EQ(server.tcp_questions, 1);
}

TEST_F(AresLookupAtServer, FailsForANameThatDoesNotExist) {
  look_up("nowhere.test.:4000");

  EXPECT_EQ(answer->status.code(), StatusCode::unavailable);
  EXPECT_NE(answer->status.message().find("nowhere.test."), std::string_view::npos);
  EXPECT_TRUE(answer->servers.empty());
}

TEST_F(AresLookupAtServer, FailsForANameWithoutAddresses) {
  has_neither("fleet.test");
  look_up("fleet.test.:4000");
  EXPECT_EQ(answer->status.code(), StatusCode::unavailable);
}

TEST_F(AresLookupAtServer, FailsIfTheServerFails) {
  server.otherwise.code = NameServer::server_failure;
  look_up("fleet.test.:4000");
  EXPECT_EQ(answer->status.code(), StatusCode::unavailable);
}

TEST_F(AresLookupAtServer, AsksAgainSoonForWhatIsLost) {
  has("fleet.test", NameServer::type_a, {a(1)});
  has("fleet.test", NameServer::type_aaaa, {});
  base::Duration shortest = base::Duration::max();

  // A busy machine may take longer, but not each time.
  for (int times = 0; times < 5 && shortest >= 4s; ++times) {
    server.lost_questions = 1;
    const base::TimePoint begun = loop.read_clock();
    look_up("fleet.test.:4000");

    EXPECT_TRUE(answer->status.is_ok()) << answer->status.to_string();
    EXPECT_EQ(endpoints(), std::vector<std::string>{"tcp://127.0.0.1:4000"});
    shortest = std::min(shortest, loop.read_clock() - begun);
  }
  EXPECT_LT(shortest, 4s);
}

TEST_F(AresLookupAtServer, TakesAnAddressAsItIs) {
  look_up("[::1]:4000");

  EXPECT_EQ(endpoints(), std::vector<std::string>{"tcp://[::1]:4000"});
  EXPECT_EQ(answer->time_to_live, base::Duration::max());
  EXPECT_EQ(answer->servers[0].host_name, "");
  EXPECT_EQ(server.udp_questions, 0);
}

TEST_F(AresLookupAtServer, FindsServices) {
  const auto service = [](unsigned char priority, unsigned char weight, const std::string& host) -> Record {
    return {.type = NameServer::type_srv, .ttl = 9, .data = NameServer::service(priority, weight, 77, host)};
  };
  has("_orders._tcp.test", NameServer::type_srv, {service(0, 40, "a.test"), service(1, 0, "b.test")});
  has_neither("a.test");
  has_neither("b.test");
  has("a.test", NameServer::type_a, {a(1), a(2)});
  has("b.test", NameServer::type_a, {a(3)});

  look_up("_orders._tcp.test.");

  ASSERT_EQ(answer->servers.size(), 3u) << answer->status.to_string();
  EXPECT_EQ(answer->time_to_live, 9s);
  for (const ResolvedServer& found : answer->servers) {
    const bool is_b = found.endpoint.host() == "127.0.0.3";
    EXPECT_EQ(found.weight, is_b ? 0.01 : 20);
    EXPECT_EQ(found.priority, is_b ? 1u : 0u);
    EXPECT_EQ(found.endpoint.port(), 77);
    EXPECT_EQ(found.host_name, "test:77");
  }
}

TEST_F(AresLookupAtServer, HoldsForAShortTimeIfTheHostOfAServiceCannotBeAskedFor) {
  const auto service = [](const std::string& host) -> Record {
    return {.type = NameServer::type_srv, .ttl = 3600, .data = NameServer::service(0, 1, 77, host)};
  };
  has("_orders._tcp.test", NameServer::type_srv, {service("a.test"), service("b.test")});
  has_neither("a.test");
  has("a.test", NameServer::type_a, {a(1, 3600)});

  look_up("_orders._tcp.test.");
  EXPECT_EQ(answer->servers.size(), 1u);
  EXPECT_EQ(answer->time_to_live, 3600s) << "it is known that the other one has no address";

  for (const int type : {NameServer::type_a, NameServer::type_aaaa}) {
    server.answers[{"b.test", type}] = {.code = NameServer::server_failure};
  }
  look_up("_orders._tcp.test.");
  EXPECT_TRUE(answer->status.is_ok());
  EXPECT_EQ(answer->servers.size(), 1u);
  EXPECT_EQ(answer->time_to_live, 0s);
}

TEST_F(AresLookupAtServer, FallsBackToThePortWithoutServices) {
  has_neither("fleet.test");
  has("fleet.test", NameServer::type_srv, {});
  has("fleet.test", NameServer::type_a, {a(1)});

  look_up("fleet.test.:4000", "?srv=1");

  EXPECT_EQ(endpoints(), std::vector<std::string>{"tcp://127.0.0.1:4000"});
}

TEST_F(AresLookupAtServer, FailsWithoutServicesAndPort) {
  look_up("_orders._tcp.test.");
  EXPECT_EQ(answer->status.code(), StatusCode::unavailable);
  EXPECT_NE(answer->status.message().find("SRV records"), std::string_view::npos);
}

TEST_F(AresLookupAtServer, FindsServiceConfigs) {
  has_neither("fleet.test");
  has("fleet.test", NameServer::type_a, {a(1)});
  has("_grpc_config.fleet.test", NameServer::type_txt,
      {{.type = NameServer::type_txt, .ttl = 90, .data = NameServer::text({"v=spf1"})},
       {.type = NameServer::type_txt,
        .ttl = 8,
        .data = NameServer::text({"grpc_config=[{\"service", "Config\":{}}]"})}});

  look_up("fleet.test.:4000", "?service_config=1");

  EXPECT_EQ(answer->service_configs, "[{\"serviceConfig\":{}}]");
  EXPECT_EQ(answer->time_to_live, 8s);
  EXPECT_EQ(answer->servers.size(), 1u);
}

TEST_F(AresLookupAtServer, FindsThatThereAreNoServiceConfigs) {
  has_neither("fleet.test");
  has("fleet.test", NameServer::type_a, {a(1)});

  look_up("fleet.test.:4000", "?service_config=1");
  EXPECT_EQ(answer->service_configs, "");

  has("_grpc_config.fleet.test", NameServer::type_txt,
      {{.type = NameServer::type_txt, .data = NameServer::text({"v=spf1"})}});
  look_up("fleet.test.:4000", "?service_config=1");
  EXPECT_EQ(answer->service_configs, "");
}

TEST_F(AresLookupAtServer, DoesNotKnowServiceConfigsIfTheServerFails) {
  has_neither("fleet.test");
  has("fleet.test", NameServer::type_a, {a(1)});
  server.answers[{"_grpc_config.fleet.test", NameServer::type_txt}] = {.code = NameServer::server_failure};

  look_up("fleet.test.:4000", "?service_config=1");

  EXPECT_TRUE(answer->status.is_ok());
  EXPECT_FALSE(answer->service_configs);
}

TEST_F(AresLookupAtServer, ReportsTheAddressesIfServiceConfigsTakeLong) {
  has_neither("fleet.test");
  has("fleet.test", NameServer::type_a, {a(1)});
  server.answers[{"_grpc_config.fleet.test", NameServer::type_txt}] = {.is_silent = true};
  const base::TimePoint begun = loop.read_clock();

  look_up("fleet.test.:4000", "?service_config=1");

  EXPECT_FALSE(answer->is_final);
  EXPECT_TRUE(answer->status.is_ok());
  EXPECT_FALSE(answer->service_configs);
  EXPECT_EQ(endpoints(), std::vector<std::string>{"tcp://127.0.0.1:4000"});
  EXPECT_LT(loop.read_clock() - begun, 6s) << "c-ares gives up later";
  // c-ares asks again.
  has("_grpc_config.fleet.test", NameServer::type_txt,
      {{.type = NameServer::type_txt, .data = NameServer::text({"grpc_config=[]"})}});
  ASSERT_TRUE(loop.run_until([this] { return answer->is_final; }, loop.read_clock() + 60s));
  EXPECT_EQ(answer->service_configs, "[]");
  EXPECT_EQ(answer->servers.size(), 1u);
}

TEST_F(AresLookupAtServer, AsksForServiceConfigsByRequestOnly) {
  has("fleet.test", NameServer::type_a, {a(1)});
  has("_grpc_config.fleet.test", NameServer::type_txt,
      {{.type = NameServer::type_txt, .data = NameServer::text({"grpc_config=[]"})}});

  look_up("fleet.test.:4000");

  EXPECT_FALSE(answer->service_configs);
  EXPECT_EQ(server.questions.size(), 2U);
}

TEST_F(AresLookupAtServer, SeesWhatHasChanged) {
  has_neither("fleet.test");
  has("fleet.test", NameServer::type_a, {a(1, 3600)});
  look_up("fleet.test.:4000");
  has("fleet.test", NameServer::type_a, {a(2, 3600)});
  look_up("fleet.test.:4000");
  EXPECT_EQ(endpoints(), std::vector<std::string>{"tcp://127.0.0.2:4000"});
}

TEST_F(AresLookupAtServer, CallsNothingOnceDestroyed) {
  server.otherwise.is_silent = true;
  begin("fleet.test.:4000");
  ASSERT_TRUE(loop.run_until([this] { return server.udp_questions >= 2; }, loop.read_clock() + 60s));
  lookup.reset();
  begin("127.0.0.1:4000");
  lookup.reset();
  while (loop.poll()) {
  }
  EXPECT_FALSE(answer);
}

}  // namespace
}  // namespace trunkline::naming::dns
