// SPDX-License-Identifier: MIT
// What a service config says, and what is refused.
#include <trunkline/service_config.h>

#include <ostream>
#include <string>
#include <vector>

namespace trunkline {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::string_view retrying = R"({"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "2s",
                                          "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]})";

std::string with_method(std::string_view members) {
  return R"({"methodConfig": [{"name": [{"service": "a.S"}], )" + std::string(members) + "}]}";
}

TEST(ServiceConfig, ReadsEveryMember) {
  const auto config = ServiceConfig::parse(R"({
    "loadBalancingPolicy": "ROUND_ROBIN",
    "loadBalancingConfig": [{"xds_experimental": {}}, {"ring_hash_experimental": {}}, {"round_robin": {}}],
    "methodConfig": [
      {"name": [{"service": "a.S", "method": "M"}, {"service": "a.T"}], "waitForReady": true, "timeout": "1.5s",
       "maxRequestMessageBytes": 1000, "maxResponseMessageBytes": "2000",
       "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "2s", "backoffMultiplier": 1.5,
                       "retryableStatusCodes": ["UNAVAILABLE", 10], "perAttemptRecvTimeout": "0.25s"}},
      {"name": [{}],
       "hedgingPolicy": {"maxAttempts": 4, "hedgingDelay": "0.02s", "nonFatalStatusCodes": ["INTERNAL"]}}],
    "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1},
    "healthCheckConfig": {"serviceName": "a.S"}})");

  ASSERT_TRUE(config.is_ok()) << config.status().to_string();
  const RetryOptions retry{.max_attempts = 3,
                           .initial_backoff = milliseconds(100),
                           .max_backoff = seconds(2),
                           .backoff_multiplier = 1.5,
                           .retryable_codes = {StatusCode::unavailable, StatusCode::aborted},
                           .attempt_timeout = milliseconds(250)};
  const HedgingOptions hedging{
      .max_attempts = 4, .delay = milliseconds(20), .max_extra = 3, .non_fatal_codes = {StatusCode::internal}};
  const ServiceConfig expected{.methods = {{.names = {"a.S/M", "a.T/"},
                                            .wait_for_ready = true,
                                            .timeout = milliseconds(1500),
                                            .max_request_bytes = 1000,
                                            .max_response_bytes = 2000,
                                            .retry = retry},
                                           {.names = {""}, .hedging = hedging}},
                               .balancing_policy = BalancingPolicy::consistent_hash,
                               .retry_throttling = RetryThrottling{.max_tokens = 10, .token_ratio = 0.1},
                               .health_service = "a.S"};
  EXPECT_EQ(*config, expected);
}

TEST(ServiceConfig, IgnoresMembersThatAreNotKnown) {
  const auto config = ServiceConfig::parse(R"({"later": [1], "methodConfig": [{"name": [{"service": "a.S", "x": 1}],
    "timeout": null, "y": {}}]})");

  ASSERT_TRUE(config.is_ok()) << config.status().to_string();
  EXPECT_EQ(*config, (ServiceConfig{.methods = {{.names = {"a.S/"}}}}));
}

TEST(ServiceConfig, AcceptsAnEmptyObject) { EXPECT_EQ(ServiceConfig::parse("{}").value(), ServiceConfig{}); }

TEST(ServiceConfig, AllowsFiveAttemptsAtMost) {
  const auto config = ServiceConfig::parse(with_method(
      R"("retryPolicy": {"maxAttempts": 9, "initialBackoff": "1s", "maxBackoff": "1s", "backoffMultiplier": 1,
                         "retryableStatusCodes": ["UNAVAILABLE"]})"));

  EXPECT_EQ(config.value().methods[0].retry->max_attempts, 5);
}

TEST(ServiceConfig, HedgesAtOnceIfThereIsNoDelay) {
  const auto config = ServiceConfig::parse(with_method(R"("hedgingPolicy": {"maxAttempts": 2})"));

  EXPECT_EQ(config.value().methods[0].hedging,
            (HedgingOptions{.max_attempts = 2, .delay = nanoseconds(0), .max_extra = 1, .non_fatal_codes = {}}));
}

TEST(ServiceConfig, HedgesByAPercentile) {
  const auto config =
      ServiceConfig::parse(with_method(R"("hedgingPolicy": {"maxAttempts": 2, "percentile": 0.9, "maxExtra": 0.1})"));

  EXPECT_EQ(config.value().methods[0].hedging,
            (HedgingOptions{.max_attempts = 2, .percentile = 0.9, .max_extra = 0.1, .non_fatal_codes = {}}));
}

TEST(ServiceConfig, FindsTheEntryThatIsMostSpecific) {
  const ServiceConfig config{.methods = {{.names = {""}}, {.names = {"a.S/"}}, {.names = {"a.S/M"}}}};

  EXPECT_EQ(config.find("a.S/M"), &config.methods[2]);
  EXPECT_EQ(config.find("a.S/N"), &config.methods[1]);
  EXPECT_EQ(config.find("a.T/M"), &config.methods[0]);
  EXPECT_EQ(config.find("plain"), &config.methods[0]);
  EXPECT_EQ(ServiceConfig{}.find("a.S/M"), nullptr);
}

TEST(ServiceConfig, ReadsDurations) {
  const auto timeout_of = [](std::string_view text) {
    const auto config = ServiceConfig::parse(with_method(R"("timeout": ")" + std::string(text) + "\""));
    return config.is_ok() ? config->methods[0].timeout.value() : nanoseconds(-1);
  };

  EXPECT_EQ(timeout_of("0s"), nanoseconds(0));
  EXPECT_EQ(timeout_of("3s"), seconds(3));
  EXPECT_EQ(timeout_of("0.000000001s"), nanoseconds(1));
  EXPECT_EQ(timeout_of("1.250s"), milliseconds(1250));
  EXPECT_GT(timeout_of("315576000000s"), std::chrono::hours(24 * 365 * 200));
  for (const char* const wrong : {"", "s", "1", "1.s", ".5s", "-1s", "1.0000000001s", "1ss", "1 s", "315576000001s",
                                  "1e3s", "99999999999999999999s", "-s"}) {
    EXPECT_EQ(timeout_of(wrong), nanoseconds(-1)) << wrong;
  }
}

TEST(ServiceConfig, KnowsTheNamesOfPolicies) {
  const auto policy_of = [](std::string_view member) {
    return ServiceConfig::parse("{" + std::string(member) + "}").value().balancing_policy;
  };

  EXPECT_EQ(policy_of(R"("loadBalancingPolicy": "ROUND_ROBIN")"), BalancingPolicy::round_robin);
  EXPECT_EQ(policy_of(R"("loadBalancingPolicy": "pick_first")"), BalancingPolicy::pick_first);
  EXPECT_EQ(policy_of(R"("loadBalancingConfig": [{"weighted_round_robin": {}}])"), BalancingPolicy::round_robin);
  EXPECT_EQ(policy_of(R"("loadBalancingConfig": [{"least_request_experimental": {}}])"), BalancingPolicy::two_choices);
  EXPECT_EQ(policy_of(R"("loadBalancingConfig": [{"least_time": {}}])"), BalancingPolicy::least_time);
  EXPECT_EQ(policy_of(R"("loadBalancingConfig": [{"outlier_detection_experimental":
                         {"childPolicy": [{"none": {}}, {"round_robin": {}}]}}])"),
            BalancingPolicy::round_robin);
  EXPECT_EQ(policy_of(R"("loadBalancingConfig": [])"), std::nullopt);
}

struct Wrong {
  std::string json;
  std::string problem;
};
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.json; }

std::string with_retry(std::string_view from, std::string_view to) {
  std::string retry(retrying);
  retry.replace(retry.find(from), from.size(), to);
  return with_method("\"retryPolicy\": " + retry);
}

const std::vector<Wrong> wrong_texts{
    {"", "service config: decode json"},
    {"[]", "service config: the text: is not an object"},
    {R"({"methodConfig": {}})", "methodConfig: is not an array"},
    {R"({"methodConfig": [1]})", "methodConfig[0]: is not an object"},
    {R"({"methodConfig": [{"name": {}}]})", "methodConfig[0].name: is not an array"},
    {R"({"methodConfig": [{"name": [{"service": 1}]}]})", "methodConfig[0].name[0].service: is not text"},
    {R"({"methodConfig": [{"name": [{"service": "s", "method": 1}]}]})", "methodConfig[0].name[0].method: is not text"},
    {R"({"methodConfig": [{"name": [{"method": "M"}]}]})", "methodConfig[0].name[0]: has a method without a service"},
    {R"({"methodConfig": [{"name": [{}]}, {"name": [{"service": "s"}, {}]}]})",
     "methodConfig[1].name: '' has an entry before"},
    {with_method(R"("waitForReady": 1)"), "methodConfig[0].waitForReady: is not true or false"},
    {with_method(R"("timeout": 1)"), "methodConfig[0].timeout: is not text such as \"1.5s\""},
    {with_method(R"("timeout": "1")"), "methodConfig[0].timeout: '1' is not a duration such as 1.5s"},
    {with_method(R"("maxRequestMessageBytes": -1)"), "methodConfig[0].maxRequestMessageBytes: is not a whole number"},
    {with_method(R"("maxRequestMessageBytes": "many")"),
     "methodConfig[0].maxRequestMessageBytes: 'many' is not a number"},
    {with_method(R"("maxResponseMessageBytes": 1.5)"),
     "methodConfig[0].maxResponseMessageBytes: is not a whole number"},
    {with_method(R"("retryPolicy": 1)"), "methodConfig[0].retryPolicy: is not an object"},
    {with_retry("3", "1"), "retryPolicy.maxAttempts: 1 is less than 2"},
    {with_retry("3", "\"x\""), "retryPolicy.maxAttempts: 'x' is not a number"},
    {with_retry("3", "2.5"), "retryPolicy.maxAttempts: is not a whole number"},
    {with_retry("0.1s", "0s"), "retryPolicy.initialBackoff: is not more than 0s"},
    {with_retry("2s", "2"), "retryPolicy.maxBackoff: '2' is not a duration"},
    {with_retry(": 2,", ": 0,"), "retryPolicy.backoffMultiplier: is not more than 0"},
    {with_retry(": 2,", ": true,"), "retryPolicy.backoffMultiplier: is not a number"},
    {with_retry("\"UNAVAILABLE\"", ""), "retryPolicy.retryableStatusCodes: is missing or empty"},
    {with_retry("[\"UNAVAILABLE\"]", "\"UNAVAILABLE\""), "retryPolicy.retryableStatusCodes: is not an array"},
    {with_retry("UNAVAILABLE", "unavailable"), "retryPolicy.retryableStatusCodes[0]: is not the name of an error"},
    {with_retry("\"UNAVAILABLE\"", "0"), "retryPolicy.retryableStatusCodes[0]: is not the name of an error"},
    {with_retry("\"UNAVAILABLE\"", "17"), "retryPolicy.retryableStatusCodes[0]: is not the name of an error"},
    {with_retry("]", "], \"perAttemptRecvTimeout\": \"0s\""), "retryPolicy.perAttemptRecvTimeout: is not more than 0s"},
    {with_retry("maxAttempts", "x"), "retryPolicy.maxAttempts: is missing"},
    {with_retry("initialBackoff", "x"), "retryPolicy.initialBackoff: is missing"},
    {with_retry("maxBackoff", "x"), "retryPolicy.maxBackoff: is missing"},
    {with_retry("backoffMultiplier", "x"), "retryPolicy.backoffMultiplier: is missing"},
    {with_method(R"("hedgingPolicy": [])"), "methodConfig[0].hedgingPolicy: is not an object"},
    {with_method(R"("hedgingPolicy": {})"), "hedgingPolicy.maxAttempts: is missing"},
    {with_method(R"("hedgingPolicy": {"maxAttempts": 1})"), "hedgingPolicy.maxAttempts: 1 is less than 2"},
    {with_method(R"("hedgingPolicy": {"maxAttempts": 2, "hedgingDelay": "x"})"),
     "hedgingPolicy.hedgingDelay: 'x' is not a duration"},
    {with_method(R"("hedgingPolicy": {"maxAttempts": 2, "nonFatalStatusCodes": ["OK"]})"),
     "hedgingPolicy.nonFatalStatusCodes[0]: is not the name of an error"},
    {with_method(R"("hedgingPolicy": {"maxAttempts": 2, "percentile": 1})"),
     "hedgingPolicy.percentile: is not more than 0 and less than 1"},
    {with_method(R"("hedgingPolicy": {"maxAttempts": 2, "maxExtra": 0})"),
     "hedgingPolicy.maxExtra: is not more than 0 and at most 4"},
    {with_method(R"("hedgingPolicy": {"maxAttempts": 2, "percentile": 0.9, "hedgingDelay": "1s"})"),
     "hedgingPolicy.percentile: cannot stand beside hedgingDelay"},
    {with_method("\"hedgingPolicy\": {\"maxAttempts\": 2}, \"retryPolicy\": " + std::string(retrying)),
     "methodConfig[0]: has both a retryPolicy and a hedgingPolicy"},
    {R"({"retryThrottling": {"maxTokens": 0, "tokenRatio": 1}})", "retryThrottling.maxTokens: 0 is not 1 to 1000"},
    {R"({"retryThrottling": {"maxTokens": 1001, "tokenRatio": 1}})",
     "retryThrottling.maxTokens: 1001 is not 1 to 1000"},
    {R"({"retryThrottling": {"maxTokens": 1, "tokenRatio": 0}})", "retryThrottling.tokenRatio: is not 0.001 to 1000"},
    {R"({"retryThrottling": {"tokenRatio": 1}})", "retryThrottling.maxTokens: is missing"},
    {R"({"retryThrottling": {"maxTokens": 1}})", "retryThrottling.tokenRatio: is missing"},
    {R"({"healthCheckConfig": "s"})", "healthCheckConfig: is not an object"},
    {R"({"healthCheckConfig": {"serviceName": 1}})", "healthCheckConfig.serviceName: is not text"},
    {R"({"loadBalancingPolicy": 1})", "loadBalancingPolicy: is not text"},
    {R"({"loadBalancingPolicy": "best"})", "loadBalancingPolicy: 'best' is not a policy that is known"},
    {R"({"loadBalancingConfig": {}})", "loadBalancingConfig: is not an array"},
    {R"({"loadBalancingConfig": [{"a": {}, "b": {}}]})", "loadBalancingConfig[0]: is not an object with one member"},
    {R"({"loadBalancingConfig": [{"round_robin": 1}]})", "loadBalancingConfig[0].round_robin: is not an object"},
    {R"({"loadBalancingConfig": [{"best": {}}]})", "loadBalancingConfig: has no policy that is known"},
    {R"({"loadBalancingConfig": [{"outlier_detection_experimental": {}}]})", "childPolicy: is missing"},
};

class WrongServiceConfig : public testing::TestWithParam<Wrong> {};

TEST_P(WrongServiceConfig, NamesTheMember) {
  const auto config = ServiceConfig::parse(GetParam().json);

  ASSERT_FALSE(config.is_ok());
  EXPECT_EQ(config.status().code(), StatusCode::invalid_argument);
  EXPECT_THAT(std::string(config.status().message()), testing::HasSubstr(GetParam().problem));
}

INSTANTIATE_TEST_SUITE_P(Texts, WrongServiceConfig, testing::ValuesIn(wrong_texts));

}  // namespace
}  // namespace trunkline
