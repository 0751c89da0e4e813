// SPDX-License-Identifier: MIT
// When servers are ejected, for how long, and how many.
#include "balance/outlier_detector.h"

#include <array>

namespace trunkline::balance {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct TenServers {
  explicit TenServers(OutlierOptions given = {}) : detector(given, now) {
    for (OutlierRecord& record : records) detector.add(record);
  }
  bool fail(std::size_t server, int times) {
    bool has_changed = false;
    for (int i = 0; i < times; ++i) has_changed = detector.on_ended(records[server], Outcome::failed, now);
    return has_changed;
  }
  void serve(std::size_t server, int times, milliseconds latency = milliseconds(10)) {
    for (int i = 0; i < times; ++i) detector.on_ended(records[server], Outcome::served, latency, now);
  }
  bool is_out(const OutlierRecord& record) const { return record.is_ejected && !detector.is_panicking(); }
  bool sweep_after(base::Duration time) { return detector.sweep(now += time); }

  base::TimePoint now{std::chrono::hours(1)};
  std::array<OutlierRecord, 10> records{};
  OutlierDetector detector;
};

TEST(OutlierDetector, EjectsAfterFailuresInARow) {
  TenServers servers;

  EXPECT_FALSE(servers.fail(3, 4));
  servers.serve(3, 1);
  EXPECT_FALSE(servers.fail(3, 4));
  EXPECT_TRUE(servers.fail(3, 1));

  EXPECT_TRUE(servers.is_out(servers.records[3]));
  EXPECT_EQ(servers.detector.next_sweep(), servers.now + seconds(10));
}

TEST(OutlierDetector, IgnoresCallsThatSayNothing) {
  TenServers servers;
  for (int i = 0; i < 100; ++i) servers.detector.on_ended(servers.records[0], Outcome::abandoned, servers.now);

  EXPECT_FALSE(servers.sweep_after(seconds(10)));
}

TEST(OutlierDetector, EjectsForLongerEachTimeAndForgets) {
  TenServers servers;

  ASSERT_TRUE(servers.fail(0, 5));
  EXPECT_EQ(servers.records[0].ejected_until, servers.now + seconds(30));
  EXPECT_FALSE(servers.sweep_after(seconds(29)));
  EXPECT_TRUE(servers.sweep_after(seconds(1)));
  EXPECT_FALSE(servers.is_out(servers.records[0]));
  ASSERT_TRUE(servers.fail(0, 5));
  EXPECT_EQ(servers.records[0].ejected_until, servers.now + seconds(60));
  EXPECT_TRUE(servers.sweep_after(seconds(60)));
  for (int i = 0; i < 3; ++i) servers.sweep_after(seconds(10));
  ASSERT_TRUE(servers.fail(0, 5));
  EXPECT_EQ(servers.records[0].ejected_until, servers.now + seconds(30));
}

TEST(OutlierDetector, LimitsTheLengthOfAnEjection) {
  OutlierOptions options;
  options.max_ejection_time = seconds(70);
  TenServers servers(options);

  for (const int expected : {30, 60, 60}) {
    ASSERT_TRUE(servers.fail(0, 5));
    EXPECT_EQ(servers.records[0].ejected_until, servers.now + seconds(expected));
    servers.now = servers.records[0].ejected_until - seconds(1);
    servers.detector.sweep(servers.now);
    servers.sweep_after(seconds(1));
  }
}

TEST(OutlierDetector, EjectsByTheRateOfFailures) {
  TenServers servers;
  for (int i = 0; i < 10; ++i) {
    servers.serve(1, 1);
    servers.fail(1, 1);
    servers.fail(2, 1);  // too few calls to judge
    servers.serve(2, i == 4 ? 1 : 0);
    servers.records[2].failures_in_a_row = 0;
  }

  EXPECT_TRUE(servers.sweep_after(seconds(10)));

  EXPECT_TRUE(servers.is_out(servers.records[1]));
  EXPECT_FALSE(servers.is_out(servers.records[2]));
}

TEST(OutlierDetector, EjectsByLatencyAgainstTheMedian) {
  TenServers servers;
  for (std::size_t i = 0; i < 10; ++i) servers.serve(i, 20, milliseconds(i == 6 ? 101 : i == 7 ? 99 : 20));

  EXPECT_TRUE(servers.sweep_after(seconds(10)));

  EXPECT_TRUE(servers.is_out(servers.records[6]));
  EXPECT_FALSE(servers.is_out(servers.records[7]));
}

TEST(OutlierDetector, IgnoresLatenciesThatAreShort) {
  TenServers servers;
  for (std::size_t i = 0; i < 10; ++i) servers.serve(i, 20, milliseconds(i == 6 ? 49 : 1));

  EXPECT_FALSE(servers.sweep_after(seconds(10)));
}

TEST(OutlierDetector, IgnoresAMomentOfABusyServer) {
  TenServers servers;
  servers.serve(0, 1000);

  EXPECT_FALSE(servers.fail(0, 9));
  EXPECT_TRUE(servers.fail(0, 1));
}

TEST(OutlierDetector, IgnoresShedAndLostCalls) {
  TenServers servers;
  for (int i = 0; i < 100; ++i) {
    servers.detector.on_ended(servers.records[0], Outcome::shed, servers.now);
    servers.detector.on_ended(servers.records[0], Outcome::lost, servers.now);
  }

  EXPECT_FALSE(servers.sweep_after(seconds(10)));
  EXPECT_FALSE(servers.records[0].is_ejected);
}

TEST(OutlierDetector, CountsServersThatAreGoneInAPanic) {
  TenServers servers;
  servers.fail(0, 5);
  ASSERT_TRUE(servers.is_out(servers.records[0]));

  for (std::size_t i = 5; i < 10; ++i) servers.records[i].is_available = false;

  EXPECT_TRUE(servers.detector.is_panicking()) << "4 of 10 are left";
}

TEST(OutlierDetector, NeedsASweepWhileThereIsSomethingToJudge) {
  TenServers servers;
  EXPECT_FALSE(servers.detector.needs_sweep());

  servers.serve(0, 1);
  EXPECT_TRUE(servers.detector.needs_sweep());
  servers.sweep_after(seconds(10));
  EXPECT_FALSE(servers.detector.needs_sweep());

  servers.fail(0, 5);
  servers.sweep_after(seconds(10));
  EXPECT_TRUE(servers.detector.needs_sweep()) << "it is ejected";
}

TEST(OutlierDetector, EjectsAtMostItsShare) {
  OutlierOptions options;
  options.max_ejected = 0.3;
  TenServers servers(options);

  for (std::size_t i = 0; i < 10; ++i) servers.fail(i, 5);

  EXPECT_EQ(servers.detector.ejected(), 3u);
}

TEST(OutlierDetector, EjectsHalfOfTheServersByDefault) {
  TenServers servers;

  for (std::size_t i = 0; i < 6; ++i) servers.fail(i, 5);

  EXPECT_EQ(servers.detector.ejected(), 5u);
  EXPECT_TRUE(servers.is_out(servers.records[0]));
}

TEST(OutlierDetector, EjectsNoneIfTheOthersFailAlike) {
  TenServers servers;
  for (int i = 0; i < 30; ++i) {
    for (std::size_t server = 0; server < 10; ++server) servers.fail(server, 1);
  }
  EXPECT_EQ(servers.detector.ejected(), 0u);

  servers.sweep_after(seconds(10));

  EXPECT_EQ(servers.detector.ejected(), 0u);
}

TEST(OutlierDetector, EjectsAServerThatFailsTwiceAsOftenAsTheOthers) {
  TenServers servers;
  for (int i = 0; i < 100; ++i) {
    for (std::size_t server = 0; server < 10; ++server) {
      const int failures_in_ten = server == 0 ? 7 : server == 1 ? 5 : 3;
      i % 10 < failures_in_ten ? static_cast<void>(servers.fail(server, 1)) : servers.serve(server, 1);
      servers.records[server].failures_in_a_row = 0;
    }
  }

  servers.sweep_after(seconds(10));

  EXPECT_TRUE(servers.records[0].is_ejected) << "70 % beside 32 % on average";
  EXPECT_FALSE(servers.records[1].is_ejected) << "50 % beside 34 % on average";
}

TEST(OutlierDetector, UsesAllServersInAPanic) {
  OutlierOptions options;
  options.max_ejected = 1;
  TenServers servers(options);

  for (std::size_t i = 0; i < 5; ++i) servers.fail(i, 5);
  EXPECT_TRUE(servers.is_out(servers.records[0]));
  servers.sweep_after(seconds(10));
  servers.fail(5, 5);

  EXPECT_TRUE(servers.detector.is_panicking());
  EXPECT_FALSE(servers.is_out(servers.records[0]));
}

TEST(OutlierDetector, ForgetsAServerThatIsRemoved) {
  TenServers servers;
  servers.fail(0, 5);

  servers.detector.remove(servers.records[0]);

  EXPECT_EQ(servers.detector.ejected(), 0u);
  EXPECT_TRUE(servers.fail(1, 5));
}

TEST(OutlierDetector, KeepsTheOnlyServer) {
  OutlierRecord record;
  OutlierDetector detector({}, {});
  detector.add(record);

  for (int i = 0; i < 100; ++i) EXPECT_FALSE(detector.on_ended(record, Outcome::failed, {}));
}

}  // namespace
}  // namespace trunkline::balance
