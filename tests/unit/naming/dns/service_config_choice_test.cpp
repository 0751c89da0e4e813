// SPDX-License-Identifier: MIT
// Which service config of several a client takes.
#include "naming/dns/service_config_choice.h"

#include <gtest/gtest.h>

namespace trunkline::naming::dns {
namespace {

const ServiceConfigChoice client("build-7", "orders.example.com");

std::string chosen(std::string_view choices) { return client.choose(choices).value(); }

std::string problem(std::string_view choices) { return std::string(client.choose(choices).status().message()); }

TEST(ServiceConfigChoice, TakesTheFirstThatIsForThisClient) {
  EXPECT_EQ(chosen(R"([{"serviceConfig": {"a": 1}}, {"serviceConfig": {"a": 2}}])"), R"({"a":1})");
  EXPECT_EQ(chosen("[]"), "");
}

TEST(ServiceConfigChoice, IsMadeByLanguage) {
  EXPECT_EQ(chosen(R"([{"clientLanguage": ["go", "python"], "serviceConfig": {"a": 1}},
                       {"clientLanguage": ["java", "C++"], "serviceConfig": {"a": 2}}])"),
            R"({"a":2})");
  EXPECT_EQ(chosen(R"([{"clientLanguage": [], "serviceConfig": {"a": 1}}])"), R"({"a":1})");
  EXPECT_EQ(chosen(R"([{"clientLanguage": ["go"], "serviceConfig": {"a": 1}}])"), "");
}

TEST(ServiceConfigChoice, IsMadeByHost) {
  EXPECT_EQ(chosen(R"([{"clientHostname": ["build-8", "BUILD-7"], "serviceConfig": {"a": 1}},
                       {"clientHostname": ["build-8", "build-7"], "serviceConfig": {"a": 2}}])"),
            R"({"a":2})");
}

TEST(ServiceConfigChoice, NeedsAllConditions) {
  EXPECT_EQ(chosen(R"([{"clientHostname": ["build-7"], "percentage": 0, "serviceConfig": {"a": 1}},
                       {"percentage": 100, "clientLanguage": ["go"], "serviceConfig": {"a": 2}}])"),
            "");
}

TEST(ServiceConfigChoice, IsForItsShareOfTheClients) {
  const auto takers = [](int percentage, const std::string& name) {
    const std::string choices = R"([{"percentage": )" + std::to_string(percentage) + R"(, "serviceConfig": {"a": 1}}])";
    std::vector<bool> takes;
    for (int host = 0; host < 2000; ++host) {
      takes.push_back(!ServiceConfigChoice("host-" + std::to_string(host), name).choose(choices).value().empty());
    }
    return takes;
  };
  const auto count = [](const std::vector<bool>& takes) { return std::count(takes.begin(), takes.end(), true); };

  EXPECT_EQ(count(takers(0, "a")), 0);
  EXPECT_EQ(count(takers(100, "a")), 2000);
  EXPECT_NEAR(static_cast<double>(count(takers(25, "a"))), 500, 80);
  EXPECT_EQ(takers(25, "a"), takers(25, "a"));
  EXPECT_NE(takers(25, "a"), takers(25, "b")) << "others for each name";
  const std::vector<bool> few = takers(25, "a"), more = takers(50, "a");
  for (std::size_t host = 0; host < few.size(); ++host) EXPECT_TRUE(more[host] || !few[host]) << host;
}

TEST(ServiceConfigChoice, RefusesWhatIsMalformed) {
  EXPECT_EQ(problem("{}"), "the choices: are not an array");
  EXPECT_NE(problem("["), "");
  EXPECT_EQ(problem("[1]"), "choice 0: is not an object");
  EXPECT_EQ(problem(R"([{"serviceConfig": {}}, {}])"), "choice 1.serviceConfig: is missing");
  EXPECT_EQ(problem(R"([{"serviceConfig": []}])"), "choice 0.serviceConfig: is not an object");
  EXPECT_EQ(problem(R"([{"clientLanguage": "go"}])"), "choice 0.clientLanguage: is not an array");
  EXPECT_EQ(problem(R"([{"clientHostname": [1]}])"), "choice 0.clientHostname[0]: is not text");
  for (const char* const percentage : {"-1", "101", "\"5\"", "1.5"}) {
    EXPECT_EQ(problem(R"([{"percentage": )" + std::string(percentage) + "}]"), "choice 0.percentage: is not 0 to 100");
  }
  EXPECT_EQ(problem(R"([{"percent": 5}])"),
            "choice 0.percent: unknown, use clientLanguage, percentage, clientHostname, serviceConfig");
}

}  // namespace
}  // namespace trunkline::naming::dns
