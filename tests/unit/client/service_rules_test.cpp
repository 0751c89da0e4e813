// SPDX-License-Identifier: MIT
// Which service config applies to a channel, and to which of its methods.
#include "client/service_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trunkline::client {
namespace {

using std::chrono::seconds;

const std::string of_options = R"({"methodConfig": [{"name": [{"service": "a.S"}], "timeout": "1s"}],
                                   "loadBalancingConfig": [{"round_robin": {}}]})";
const std::string of_resolver = R"({"methodConfig": [{"name": [{"service": "a.S"}], "timeout": "2s"}]})";

class ServiceRulesOfOptions : public testing::Test {
 protected:
  ServiceRulesOfOptions() {
    options.service_config = of_options;
    options.log = [this](const LogRecord& record) { logged.emplace_back(record.message); };
  }
  const MethodEntry& entry(std::string_view name) { return *methods.find(Method(name)); }
  std::chrono::nanoseconds timeout_of(ServiceRules& rules, std::string_view method) {
    const MethodRules* const found = rules.find(entry(method));
    return found != nullptr ? found->config.timeout.value_or(seconds(0)) : seconds(-1);
  }

  ChannelOptions options;
  MethodTable methods;
  std::vector<std::string> logged;
};

TEST_F(ServiceRulesOfOptions, ApplyToTheMethodsThatAreNamed) {
  ServiceRules rules(options);

  EXPECT_TRUE(rules.any());
  EXPECT_EQ(timeout_of(rules, "a.S/M"), seconds(1));
  EXPECT_EQ(rules.find(entry("a.T/M")), nullptr);
  EXPECT_EQ(rules.find(entry("a.S/M")), rules.find(entry("a.S/M")));
}

TEST_F(ServiceRulesOfOptions, AskForNothingWithoutAConfig) {
  options.service_config.clear();

  const ServiceRules rules(options);

  EXPECT_FALSE(rules.any());
  EXPECT_EQ(rules.balancing_policy(), BalancingPolicy::two_choices);
}

TEST_F(ServiceRulesOfOptions, GiveWayToThoseOfTheResolver) {
  ServiceRules rules(options);
  int changes = 0;
  rules.on_change = [&] { ++changes; };
  EXPECT_EQ(timeout_of(rules, "a.S/M"), seconds(1));
  EXPECT_EQ(rules.balancing_policy(), BalancingPolicy::round_robin);

  rules.update(of_resolver);
  EXPECT_EQ(timeout_of(rules, "a.S/M"), seconds(2));
  EXPECT_EQ(rules.balancing_policy(), BalancingPolicy::two_choices);
  rules.update(of_resolver);
  EXPECT_EQ(changes, 1);

  rules.update("");
  EXPECT_EQ(timeout_of(rules, "a.S/M"), seconds(1));
  EXPECT_EQ(changes, 2);
}

TEST_F(ServiceRulesOfOptions, StayWhenTheResolverReportsAWrongConfig) {
  ServiceRules rules(options);
  rules.update(of_resolver);

  rules.update("{");
  rules.update("{");

  EXPECT_EQ(timeout_of(rules, "a.S/M"), seconds(2));
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_THAT(logged[0], testing::HasSubstr("the one before stays in use"));
}

TEST_F(ServiceRulesOfOptions, HedgeIdempotentCallsOfMethodsWithoutAPolicyOfTheirOwn) {
  options.service_config = R"({"methodConfig": [
    {"name": [{"service": "a.S"}], "timeout": "1s"},
    {"name": [{"service": "a.H"}], "hedgingPolicy": {"maxAttempts": 3}},
    {"name": [{"service": "a.R"}], "retryPolicy": {"maxAttempts": 2, "initialBackoff": "1s", "maxBackoff": "1s",
     "backoffMultiplier": 1, "retryableStatusCodes": ["ABORTED"]}}]})";
  options.hedging.emplace();
  ServiceRules rules(options);

  for (const char* const method : {"a.S/M", "other"}) {
    const MethodRules* const found = rules.find(entry(method));
    ASSERT_NE(found, nullptr);
    EXPECT_TRUE(found->hedging != nullptr && found->hedges_idempotent_only) << method;
  }
  EXPECT_FALSE(rules.find(entry("a.H/M"))->hedges_idempotent_only);
  EXPECT_EQ(rules.find(entry("a.H/M"))->hedging->max_attempts(), 3);
  EXPECT_EQ(rules.find(entry("a.R/M"))->hedging, nullptr);
}

TEST_F(ServiceRulesOfOptions, MeasureAFewMethodsOneByOneAndTheOthersTogether) {
  options.hedging.emplace();
  ServiceRules rules(options);
  const MethodRules* const first = rules.find(entry("m0"));
  for (std::size_t i = 1; i < ServiceRules::max_methods; ++i) rules.find(entry("m" + std::to_string(i)));

  const MethodRules* const beyond = rules.find(entry("beyond"));

  EXPECT_NE(beyond, first);
  EXPECT_EQ(rules.find(entry("beyond too")), beyond);
  EXPECT_EQ(rules.find(entry("m0")), first);
}

}  // namespace
}  // namespace trunkline::client
