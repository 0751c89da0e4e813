// SPDX-License-Identifier: MIT
// When names are looked up again.
#include "naming/dns/dns_resolver.h"

#include "kit/manual_clock.h"

#include <gtest/gtest.h>

namespace trunkline::naming::dns {
namespace {

using namespace std::chrono_literals;

class DnsResolverTimes : public ::testing::Test, public ResolverUpdates {
 protected:
  class Lookup final : public DnsLookup {
   public:
    explicit Lookup(DnsResolverTimes& test) noexcept : test_(test) {}
    void start(Done done) override {
      ++test_.lookups;
      test_.done = std::move(done);
    }

   private:
    DnsResolverTimes& test_;
  };

  DnsResolverTimes() { make(30s); }
  void make(base::Duration min_refresh) {
    resolver = std::make_unique<DnsResolver>(
        loop(), BackoffOptions{.initial = 100ms, .maximum = 1000ms, .multiplier = 2, .jitter = 0, .seed = 1},
        min_refresh, std::make_unique<Lookup>(*this));
  }
  void update(Resolution resolution) override {
    updates.push_back(std::move(resolution));
    if (destroys) resolver.reset();
  }
  void fail(Status error) override {
    failures.push_back(std::move(error));
    if (destroys) resolver.reset();
  }
  net::Loop& loop() { return net::Loop::of(*event_loop); }
  void start() { resolver->start({std::shared_ptr<void>(), this}); }
  void answer(base::Duration time_to_live) {
    const auto call = std::exchange(done, nullptr);
    call({.status = {},
          .servers = {{.endpoint = Endpoint::parse("tcp://10.0.0.1:1").value()}},
          .service_configs = configs,
          .time_to_live = time_to_live});
  }
  void answer_failure() {
    const auto call = std::exchange(done, nullptr);
    call({.status = {StatusCode::unavailable, "no such name"},
          .servers = {},
          .service_configs = {},
          .time_to_live = {}});
  }
  void advance(base::Duration by) {
    clock.advance(by);
    while (event_loop->poll()) {
    }
  }

  kit::ManualClock clock;
  std::unique_ptr<EventLoop> event_loop = net::Loop::make_event_loop({}, &clock);
  DnsLookup::Done done;
  std::optional<std::string> configs;
  int lookups = 0;
  bool destroys = false;
  std::vector<Resolution> updates;
  std::vector<Status> failures;
  std::unique_ptr<DnsResolver> resolver;
};

TEST_F(DnsResolverTimes, ReportsAnAnswerThatIsNotFinalAndWaitsForTheFinalOne) {
  resolver->choose_service_config(ServiceConfigChoice("host", "name"), nullptr);
  start();
  const auto call = done;
  DnsAnswer early{.servers = {{.endpoint = Endpoint::parse("tcp://10.0.0.1:1").value()}}};
  early.is_final = false;

  call(early);
  EXPECT_EQ(updates.size(), 1u);
  EXPECT_TRUE(updates[0].service_config.empty());
  advance(2h);
  EXPECT_EQ(lookups, 1);
  configs = R"([{"serviceConfig": {"methodConfig": []}}])";
  answer(60s);

  EXPECT_EQ(updates.size(), 2u);
  EXPECT_EQ(updates[1].service_config, R"({"methodConfig":[]})");
  advance(60s);
  EXPECT_EQ(lookups, 2);
}

TEST_F(DnsResolverTimes, LooksAgainWhenTheTimeToLiveEnds) {
  start();
  answer(60s);
  ASSERT_EQ(updates.size(), 1u);
  EXPECT_EQ(updates[0].servers.size(), 1u);

  advance(59s);
  EXPECT_EQ(lookups, 1);
  advance(1s + 2ms);
  EXPECT_EQ(lookups, 2);
}

TEST_F(DnsResolverTimes, BoundsTheTimeToLive) {
  start();
  answer(0s);
  advance(4s);
  EXPECT_EQ(lookups, 1);
  advance(1s + 2ms);
  EXPECT_EQ(lookups, 2);

  answer(24h);
  advance(59min);
  EXPECT_EQ(lookups, 2);
  advance(1min + 2ms);
  EXPECT_EQ(lookups, 3);
}

TEST_F(DnsResolverTimes, DoesNotLookAgainForAnAddress) {
  start();
  answer(base::Duration::max());
  resolver->refresh();
  advance(48h);
  EXPECT_EQ(lookups, 1);
}

TEST_F(DnsResolverTimes, RetriesWithBackoff) {
  start();
  answer_failure();
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].message(), "no such name");
  advance(99ms);
  EXPECT_EQ(lookups, 1);
  advance(3ms);
  EXPECT_EQ(lookups, 2);
  answer_failure();
  advance(150ms);
  EXPECT_EQ(lookups, 2);
  advance(52ms);
  EXPECT_EQ(lookups, 3);
  answer(60s);
  advance(61s);
  answer_failure();
  advance(102ms);
  EXPECT_EQ(lookups, 5) << "a success resets the backoff";
}

TEST_F(DnsResolverTimes, LimitsRefreshes) {
  start();
  resolver->refresh();
  EXPECT_EQ(lookups, 1) << "one is under way";
  answer(10min);
  advance(10s);
  for (int i = 0; i < 100; ++i) resolver->refresh();
  advance(19s);
  EXPECT_EQ(lookups, 1);
  advance(1s + 2ms);
  EXPECT_EQ(lookups, 2);
  answer(10min);
  advance(1min);
  resolver->refresh();
  advance(2ms);
  EXPECT_EQ(lookups, 3);
}

TEST_F(DnsResolverTimes, KeepsToTheBackoffWhenRefreshed) {
  make(1ms);
  start();
  answer_failure();
  advance(50ms);
  resolver->refresh();
  advance(2ms);
  EXPECT_EQ(lookups, 1);
}

TEST_F(DnsResolverTimes, AListenerMayDestroyIt) {
  destroys = true;
  start();
  answer(60s);
  EXPECT_EQ(resolver, nullptr);
  make(30s);
  start();
  answer_failure();
  EXPECT_EQ(resolver, nullptr);
  advance(1h);
  EXPECT_EQ(lookups, 2);
}

TEST_F(DnsResolverTimes, ReportsTheServiceConfigThatItChooses) {
  resolver->choose_service_config(ServiceConfigChoice("host", "name"), {});
  start();

  configs = R"([{"clientLanguage": ["go"], "serviceConfig": {"a": 1}}, {"serviceConfig": {"b": 2}}])";
  answer(60s);
  EXPECT_EQ(updates.back().service_config, R"({"b":2})");

  advance(60s + 2ms);
  configs = "";
  answer(60s);
  EXPECT_EQ(updates.back().service_config, "");
}

TEST_F(DnsResolverTimes, KeepsTheLastGoodServiceConfig) {
  std::vector<std::string> logged;
  resolver->choose_service_config(ServiceConfigChoice("host", "name"),
                                  [&](const LogRecord& record) { logged.emplace_back(record.message); });
  start();
  configs = R"([{"serviceConfig": {"a": 1}}])";
  answer(60s);

  advance(60s + 2ms);
  configs = R"([{"serviceConfig": 1}])";
  answer(60s);
  EXPECT_EQ(updates.back().service_config, R"({"a":1})");
  EXPECT_EQ(logged,
            std::vector<std::string>{"choose a service config of the DNS: choice 0.serviceConfig: is not an object"});

  advance(60s + 2ms);
  configs.reset();
  answer(60s);
  EXPECT_EQ(updates.back().service_config, R"({"a":1})");
}

TEST_F(DnsResolverTimes, IgnoresServiceConfigsThatNobodyAskedFor) {
  start();
  configs = R"([{"serviceConfig": {"a": 1}}])";
  answer(60s);
  EXPECT_EQ(updates.back().service_config, "");
}

}  // namespace
}  // namespace trunkline::naming::dns
