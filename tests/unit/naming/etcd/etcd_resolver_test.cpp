// SPDX-License-Identifier: MIT
// How the keys below a prefix are read and watched, and what happens when etcd fails.
#include "naming/etcd/etcd_resolver.h"

#include "naming/etcd/requests.h"
#include "unit/naming/etcd/etcd_fixture.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::naming::etcd {
namespace {

using namespace std::chrono_literals;
using Calls = std::vector<std::string>;
using Hosts = std::vector<std::string>;

KeyValue server(const std::string& host, std::uint64_t revision) {
  return {.key = "p/" + host, .value = R"({"address": ")" + host + R"(:1"})", .revision = revision};
}

KeyValue gone(const std::string& host, std::uint64_t revision) {
  return {.key = "p/" + host, .value = {}, .revision = revision, .is_deleted = true};
}

class EtcdResolverWatch : public EtcdFixture, public ResolverUpdates {
 protected:
  void update(Resolution resolution) override {
    Hosts hosts;
    for (const ResolvedServer& each : resolution.servers) hosts.push_back(each.endpoint.host());
    updates.push_back(std::move(hosts));
    if (destroys) resolver.reset();
  }
  void fail(Status error) override {
    failures.emplace_back(error.message());
    if (destroys) resolver.reset();
  }
  void start(const std::string& uri = "etcd://e1,e2/p", std::size_t members = 2) {
    resolver =
        std::make_unique<EtcdResolver>(loop(), target(uri), calls(members), backoff,
                                       [this](const LogRecord& record) { warnings.emplace_back(record.message); });
    resolver->start({std::shared_ptr<void>(), this});
    settle();
  }
  /// Has read server "a" and watches from revision 5 on.
  void watch() {
    start();
    script.answer(keys(5, {server("a", 3)}));
    script.send(created(5));
    asked();
  }

  std::vector<Hosts> updates;
  std::vector<std::string> failures;
  std::vector<std::string> warnings;
  bool destroys = false;
  std::unique_ptr<EtcdResolver> resolver;
};

TEST_F(EtcdResolverWatch, ReadsTheKeysAndWatchesThemFromThen) {
  start();
  EXPECT_EQ(script.request, range_request("p/"));
  script.answer(keys(5, {server("a", 3), server("b", 4)}));
  EXPECT_EQ(script.request, watch_request("p/", 6));
  script.send(created(5));
  script.send(changes({server("c", 6), gone("a", 7)}));
  script.send(changes({gone("c", 8)}));

  EXPECT_EQ(updates, (std::vector<Hosts>{{"a", "b"}, {"b", "c"}, {"b"}}));
  EXPECT_EQ(asked(), (Calls{"0 etcdserverpb.KV/Range", "0 etcdserverpb.Watch/Watch"}));
  EXPECT_TRUE(failures.empty());
}

TEST_F(EtcdResolverWatch, ResumesAtTheNextMember) {
  watch();
  script.send(changes({server("b", 7)}));

  script.end("connection lost");
  settle();

  EXPECT_EQ(asked(), (Calls{"1 etcdserverpb.Watch/Watch"}));
  EXPECT_EQ(script.request, watch_request("p/", 8));
  EXPECT_TRUE(failures.empty());
  EXPECT_EQ(updates.size(), 2u);
}

TEST_F(EtcdResolverWatch, ReadsAgainAfterACompaction) {
  watch();

  script.send(cancelled(9, "compacted"));

  EXPECT_EQ(asked(), (Calls{"0 etcdserverpb.KV/Range"}));
  script.answer(keys(12, {server("z", 11)}));
  EXPECT_EQ(script.request, watch_request("p/", 13));
  EXPECT_EQ(updates.back(), (Hosts{"z"}));
}

TEST_F(EtcdResolverWatch, ReadsAgainIfTheStoreIsAnOlderOne) {
  watch();
  script.end("connection lost");
  settle();

  script.send(created(4));

  EXPECT_EQ(asked(), (Calls{"1 etcdserverpb.Watch/Watch", "1 etcdserverpb.KV/Range"}));
}

TEST_F(EtcdResolverWatch, GoesOnWhenEtcdCancelsTheWatch) {
  watch();

  script.send(cancelled(0, "etcdserver: no leader"));
  settle();

  EXPECT_EQ(asked(), (Calls{"1 etcdserverpb.Watch/Watch"}));
  script.send(cancelled(0, "etcdserver: no leader"));
  settle();
  EXPECT_TRUE(asked().empty()) << "after a round there is a pause";
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0], "resolve etcd://e1,e2/p: watch: etcd has cancelled it: etcdserver: no leader");
  advance(101ms);
  EXPECT_EQ(asked(), (Calls{"0 etcdserverpb.Watch/Watch"}));
}

TEST_F(EtcdResolverWatch, TriesTheMembersInTurnWithPausesBetweenRounds) {
  start();
  for (int i = 0; i < 2; ++i) {
    script.fail(StatusCode::unavailable, "refused");
    settle();
  }
  EXPECT_EQ(asked(), (Calls{"0 etcdserverpb.KV/Range", "1 etcdserverpb.KV/Range"}));
  advance(99ms);
  EXPECT_TRUE(asked().empty());
  advance(2ms);
  EXPECT_EQ(asked(), (Calls{"0 etcdserverpb.KV/Range"}));
  for (int i = 0; i < 2; ++i) {
    script.fail(StatusCode::unavailable, "refused");
    settle();
  }
  EXPECT_EQ(asked(), (Calls{"1 etcdserverpb.KV/Range"}));
  advance(199ms);
  EXPECT_TRUE(asked().empty());
  advance(2ms);
  EXPECT_EQ(asked(), (Calls{"0 etcdserverpb.KV/Range"}));

  EXPECT_EQ(warnings, (std::vector<std::string>{"resolve etcd://e1,e2/p: refused"})) << "once per outage";
  EXPECT_EQ(failures.size(), 3u) << "each time when all have failed";
}

TEST_F(EtcdResolverWatch, BeginsTheBackoffAnewAfterASuccess) {
  watch();
  for (int i = 0; i < 2; ++i) {
    script.end("lost");
    settle();
  }
  advance(101ms);
  script.send(created(5));
  asked();
  for (int i = 0; i < 2; ++i) {
    script.end("lost");
    settle();
  }
  asked();

  advance(101ms);

  EXPECT_EQ(asked().size(), 1u);
  EXPECT_EQ(warnings.size(), 2u);
}

TEST_F(EtcdResolverWatch, DoesNotWaitForeverForAWatch) {
  start();
  script.answer(keys(5, {server("a", 3)}));
  asked();

  advance(5001ms);

  EXPECT_EQ(asked(), (Calls{"1 etcdserverpb.Watch/Watch"}));
  script.send(created(5));
  advance(1h);
  EXPECT_TRUE(asked().empty()) << "a watch may be silent";
}

TEST_F(EtcdResolverWatch, KeepsTheServersWhenNoneIsLeft) {
  watch();

  script.send(changes({gone("a", 6)}));

  EXPECT_EQ(updates.size(), 1u);
  EXPECT_EQ(failures, (std::vector<std::string>{"resolve etcd://e1,e2/p: no server is announced"}));
  script.send(changes({server("b", 7)}));
  EXPECT_EQ(updates.back(), (Hosts{"b"}));
}

TEST_F(EtcdResolverWatch, SkipsAValueThatIsWrong) {
  watch();

  script.send(changes({{.key = "p/x", .value = "{", .revision = 6}}));

  EXPECT_EQ(updates.back(), (Hosts{"a"}));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].starts_with("resolve etcd://e1,e2/p: key p/x: decode json")) << warnings[0];
}

TEST_F(EtcdResolverWatch, GetsATokenAtEachBeginning) {
  start("etcd://root:secret@e1,e2/p");
  EXPECT_EQ(script.request, authenticate_request("root", "secret"));
  script.answer(token("t1"));
  EXPECT_EQ(script.token, "t1");
  script.answer(keys(5, {server("a", 3)}));
  script.send(created(5));
  script.end("etcdserver: invalid auth token");
  settle();
  EXPECT_EQ(script.token, "") << "an old token may be refused";
  script.answer(token("t2"));

  EXPECT_EQ(script.token, "t2");
  EXPECT_EQ(asked(), (Calls{"0 etcdserverpb.Auth/Authenticate", "0 etcdserverpb.KV/Range", "0 etcdserverpb.Watch/Watch",
                            "1 etcdserverpb.Auth/Authenticate", "1 etcdserverpb.Watch/Watch"}));
}

TEST_F(EtcdResolverWatch, NeedsNoTokenWhereThereAreNoUsers) {
  start("etcd://root:secret@e1/p", 1);

  script.fail(StatusCode::failed_precondition, "etcdserver: authentication is not enabled");

  EXPECT_EQ(script.method, range_method);
}

TEST_F(EtcdResolverWatch, ReportsAPasswordThatIsWrongWithoutIt) {
  start("etcd://root:secret@e1/p", 1);

  script.fail(StatusCode::invalid_argument, "etcdserver: authentication failed, invalid user ID or password");

  EXPECT_EQ(failures, (std::vector<std::string>{
                          "resolve etcd://...@e1/p: etcdserver: authentication failed, invalid user ID or password"}));
  EXPECT_EQ(warnings, failures);
}

TEST_F(EtcdResolverWatch, AListenerMayDestroyIt) {
  destroys = true;
  start();
  script.answer(keys(5, {server("a", 3)}));
  EXPECT_EQ(resolver, nullptr);
  EXPECT_EQ(script.method, "");

  start("etcd://e1/p", 1);
  script.fail(StatusCode::unavailable, "refused");
  EXPECT_EQ(resolver, nullptr);
  advance(1h);
  EXPECT_EQ(script.method, "");
}

}  // namespace
}  // namespace trunkline::naming::etcd
