// SPDX-License-Identifier: MIT
// How a server is announced, kept announced and withdrawn.
#include "naming/etcd/etcd_announcement.h"

#include "naming/etcd/requests.h"
#include "naming/etcd/server_entry.h"
#include "unit/naming/etcd/etcd_fixture.h"

#include <memory>
#include <string>
#include <vector>

namespace trunkline::naming::etcd {
namespace {

using namespace std::chrono_literals;
using Calls = std::vector<std::string>;

class EtcdAnnouncementLease : public EtcdFixture {
 protected:
  static ResolvedServer server(const std::string& uri) { return {.endpoint = Endpoint::parse(uri).value()}; }

  void start(const std::string& uri = "etcd://e1,e2/p", std::vector<ResolvedServer> servers = {server("tcp://a:1")}) {
    announcement = std::make_unique<EtcdAnnouncement>(
        loop(), EtcdAnnouncement::Parts{.target = target(uri),
                                        .servers = std::move(servers),
                                        .time_to_live = 9s,
                                        .drain_delay = 500ms,
                                        .backoff = backoff,
                                        .calls = calls(2),
                                        .log = [this](LogLevel, std::string_view text) { logged.emplace_back(text); }});
    announcement->start();
    settle();
  }
  /// Is announced under lease 0x2a.
  void announce() {
    start();
    script.answer(lease(0x2a, 9));
    script.answer(std::string());
    script.send(lease(0x2a, 9));
    asked();
  }
  void withdraw(base::Duration within = 10s) {
    announcement->withdraw(loop().now() + within, [this] { is_done = true; });
    settle();
  }

  std::vector<std::string> logged;
  bool is_done = false;
  std::unique_ptr<EtcdAnnouncement> announcement;
};

TEST_F(EtcdAnnouncementLease, WritesAKeyForEachAddressUnderALease) {
  start("etcd://e1,e2/p", {server("tcp://a:1"), server("tls://[::1]:2")});
  EXPECT_EQ(script.request, grant_request(9));
  script.answer(lease(0x2a, 9));
  EXPECT_EQ(script.request, put_request("p/a:1-2a", ServerEntry::write(server("tcp://a:1")), 0x2a));
  script.answer(std::string());
  EXPECT_EQ(script.request, put_request("p/[::1]:2-2a", ServerEntry::write(server("tls://[::1]:2")), 0x2a));
  script.answer(std::string());

  EXPECT_EQ(script.method, keep_alive_method);
  EXPECT_EQ(script.request, keep_alive_request(0x2a));
}

TEST_F(EtcdAnnouncementLease, RenewsItThreeTimesInItsLife) {
  announce();

  advance(2999ms);
  EXPECT_TRUE(script.sent.empty());
  advance(2ms);
  EXPECT_EQ(script.sent, (std::vector<std::string>{keep_alive_request(0x2a)}));
  script.send(lease(0x2a, 9));
  advance(3001ms);
  EXPECT_EQ(script.sent.size(), 2u);
  EXPECT_TRUE(asked().empty());
}

TEST_F(EtcdAnnouncementLease, TriesTheNextMemberIfARenewalIsNotAnswered) {
  announce();
  advance(3001ms);

  advance(3001ms);

  EXPECT_EQ(asked(), (Calls{"1 etcdserverpb.Lease/LeaseKeepAlive"})) << "the lease and the key are still there";
  EXPECT_EQ(script.request, keep_alive_request(0x2a));
}

TEST_F(EtcdAnnouncementLease, IsAnnouncedAnewWhenTheLeaseIsLost) {
  announce();
  advance(3001ms);

  script.send(lease(0x2a, 0));

  EXPECT_EQ(script.method, grant_method);
  script.answer(lease(0x2b, 9));
  EXPECT_EQ(script.request, put_request("p/a:1-2b", ServerEntry::write(server("tcp://a:1")), 0x2b));
  script.answer(std::string());
  EXPECT_EQ(script.request, keep_alive_request(0x2b));
  advance(1s);
  EXPECT_TRUE(script.sent.empty()) << "the renewals of the lost lease have ended";
}

TEST_F(EtcdAnnouncementLease, AsksForAnotherLeaseIfOneEndsBeforeTheKeyIsWritten) {
  start();
  script.answer(lease(0x2a, 9));

  script.fail(StatusCode::not_found, "etcdserver: requested lease not found");

  EXPECT_EQ(script.method, grant_method);
}

TEST_F(EtcdAnnouncementLease, WritesTheKeyUnderTheSameLeaseAtTheNextMember) {
  start();
  script.answer(lease(0x2a, 9));

  script.fail(StatusCode::unavailable, "lost");
  settle();

  EXPECT_EQ(asked(), (Calls{"0 etcdserverpb.Lease/LeaseGrant", "0 etcdserverpb.KV/Put", "1 etcdserverpb.KV/Put"}));
}

TEST_F(EtcdAnnouncementLease, LogsAnOutageAndItsEndOnce) {
  announce();
  for (int i = 0; i < 3; ++i) {
    script.end("refused");
    advance(i == 1 ? 101ms : 0ms);
  }
  EXPECT_EQ(logged, (std::vector<std::string>{"announce at etcd://e1,e2/p: refused"}));

  script.send(lease(0x2a, 9));

  EXPECT_EQ(logged.back(), "announce at etcd://e1,e2/p: it is announced again");
}

TEST_F(EtcdAnnouncementLease, GetsATokenFirst) {
  start("etcd://root:secret@e1,e2/p");

  EXPECT_EQ(script.request, authenticate_request("root", "secret"));
  script.answer(token("t"));
  EXPECT_EQ(script.token, "t");
  EXPECT_EQ(script.method, grant_method);
}

TEST_F(EtcdAnnouncementLease, IsWithdrawnAndLeavesClientsTimeToNotice) {
  announce();

  withdraw();

  EXPECT_EQ(script.request, revoke_request(0x2a));
  script.answer(std::string());
  advance(499ms);
  EXPECT_FALSE(is_done);
  advance(2ms);
  EXPECT_TRUE(is_done);
  EXPECT_EQ(asked(), (Calls{"0 etcdserverpb.Lease/LeaseRevoke"}));
}

TEST_F(EtcdAnnouncementLease, IsWithdrawnAtTheNextMemberWithANewToken) {
  start("etcd://root:secret@e1,e2/p");
  script.answer(token("t"));
  script.answer(lease(0x2a, 9));
  script.answer(std::string());
  script.send(lease(0x2a, 9));
  asked();
  withdraw();
  script.fail(StatusCode::unauthenticated, "etcdserver: invalid auth token");
  settle();
  script.answer(token("t2"));
  script.fail(StatusCode::not_found, "etcdserver: requested lease not found");

  EXPECT_EQ(asked(), (Calls{"0 etcdserverpb.Lease/LeaseRevoke", "1 etcdserverpb.Auth/Authenticate",
                            "1 etcdserverpb.Lease/LeaseRevoke"}));
  advance(501ms);
  EXPECT_TRUE(is_done) << "a lease that is gone is withdrawn";
}

TEST_F(EtcdAnnouncementLease, WaitsNoLongerThanTheDeadline) {
  announce();
  withdraw(100ms);

  advance(101ms);
  settle();

  EXPECT_TRUE(is_done);
}

TEST_F(EtcdAnnouncementLease, GivesUpWithdrawingAfterTwoSeconds) {
  announce();
  withdraw();
  script.fail(StatusCode::unavailable, "refused");

  advance(2001ms);
  EXPECT_FALSE(is_done);
  advance(501ms);

  EXPECT_TRUE(is_done);
  asked();
  advance(1h);
  EXPECT_TRUE(asked().empty());
}

TEST_F(EtcdAnnouncementLease, IsWithdrawnAtOnceIfItWasNeverAnnounced) {
  start();

  withdraw();

  EXPECT_TRUE(is_done);
  EXPECT_EQ(script.method, "");
}

TEST_F(EtcdAnnouncementLease, MayBeDestroyedWhenItIsDone) {
  announce();
  announcement->withdraw(loop().now() + 10s, [this] { announcement.reset(); });
  script.answer(std::string());

  advance(501ms);

  EXPECT_EQ(announcement, nullptr);
}

}  // namespace
}  // namespace trunkline::naming::etcd
