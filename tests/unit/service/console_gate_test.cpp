// SPDX-License-Identifier: MIT
// Who gets the page of the console, and whose calls are answered.
#include "service/console_gate.h"

#include "service/console_page.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace trunkline::service {

namespace {

constexpr std::string_view token = "0123456789abcdef";

HttpResponse page_of(const ConsoleGate& gate, std::string_view host, std::string_view peer = "tcp://127.0.0.1:1234",
                     std::string_view origin = {}) {
  Metadata headers{{"trunkline-request", "GET /console"}};
  if (!host.empty()) headers.add("host", host);
  if (!origin.empty()) headers.add("origin", origin);
  return gate.page(HttpRequest("GET /console", headers, {}), peer);
}

std::string text_of(const HttpResponse& response) { return response.body.to_string(); }

/// The token in a page; what stands for it if there is none.
std::string token_in(const std::string& page) {
  constexpr std::string_view before = "name=\"trunkline-console-token\" content=\"";
  const std::size_t begin = page.find(before);
  if (begin == std::string::npos) return {};
  return page.substr(begin + before.size(), page.find('"', begin + before.size()) - begin - before.size());
}

TEST(ConsoleGate, GivesThePageOnTheSameMachineWithAToken) {
  const ConsoleGate gate{ConsoleOptions{}};

  for (const std::string_view host : {"localhost:8888", "LOCALHOST", "127.0.0.1:1", "127.8.9.1", "[::1]:8888"}) {
    const HttpResponse response = page_of(gate, host);
    EXPECT_EQ(response.status, 200u) << host;
    const std::string given = token_in(text_of(response));
    EXPECT_EQ(given.size(), 32u);
    EXPECT_TRUE(gate.check(Metadata{{"trunkline-console-token", given}}).is_ok());
  }
  EXPECT_EQ(page_of(gate, "localhost", "tcp://[::1]:2").status, 200u);
  EXPECT_EQ(page_of(gate, "localhost", "unix:///run/a").status, 200u);
}

TEST(ConsoleGate, RefusesOtherMachinesWithoutAToken) {
  const ConsoleGate gate{ConsoleOptions{}};

  for (const std::string_view peer : {"tcp://10.0.0.1:1", "tls://[fe80::1]:1", "tcp://nonsense", "nonsense", ""}) {
    const HttpResponse response = page_of(gate, "localhost", peer);
    EXPECT_EQ(response.status, 403u) << peer;
    EXPECT_EQ(text_of(response), "console: it has no token, so it is served on the loopback network only\n");
  }
}

TEST(ConsoleGate, RefusesWhatAProxyPassesOnWithoutAToken) {
  const ConsoleGate open{{.token = std::string(token)}};
  const ConsoleGate local{ConsoleOptions{}};

  for (const char* name : {"forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"}) {
    const Metadata headers{{"trunkline-request", "GET /console"}, {"host", "localhost"}, {name, "8.8.8.8"}};
    const HttpRequest request("GET /console", headers, {});
    const HttpResponse refused = local.page(request, "tcp://127.0.0.1:1");
    EXPECT_EQ(refused.status, 403u) << name;
    EXPECT_EQ(text_of(refused), "console: it has no token, so it is not served through a proxy, which has sent " +
                                    std::string(name) + "\n");
    EXPECT_EQ(open.page(request, "tcp://127.0.0.1:1").status, 200u) << name;
  }
}

TEST(ConsoleGate, RefusesOtherHosts) {
  const ConsoleGate gate{ConsoleOptions{}};

  for (const std::string_view host : {"evil.example", "localhost.evil.example:80", "10.0.0.1", "[fe80::1]", ""}) {
    EXPECT_EQ(page_of(gate, host).status, 403u) << host;
  }
  EXPECT_EQ(text_of(page_of(gate, "Evil.example:80")),
            "console: host 'evil.example:80' is neither localhost nor an IP address nor one of hosts\n");
}

TEST(ConsoleGate, RefusesPagesOfOtherOrigins) {
  const ConsoleGate gate{ConsoleOptions{}};
  const std::string_view peer = "tcp://127.0.0.1:1";

  EXPECT_EQ(page_of(gate, "localhost:8888", peer, "http://localhost:8888").status, 200u);
  for (const std::string_view origin : {"http://evil.example", "http://localhost:8889", "null", "localhost:8888"}) {
    EXPECT_EQ(page_of(gate, "localhost:8888", peer, origin).status, 403u) << origin;
  }
}

TEST(ConsoleGate, GivesAPageWithoutASecretToAllIfThereIsAToken) {
  const ConsoleGate gate{{.token = std::string(token), .hosts = {"Console.example"}}};

  for (const std::string_view host : {"10.0.0.1:8888", "console.example", "localhost"}) {
    const HttpResponse response = page_of(gate, host, "tcp://10.0.0.2:1");
    EXPECT_EQ(response.status, 200u) << host;
    EXPECT_EQ(token_in(text_of(response)), place_of_console_token);
    EXPECT_EQ(text_of(response).find(token), std::string::npos);
  }
  EXPECT_EQ(page_of(gate, "evil.example", "tcp://10.0.0.2:1").status, 403u);
}

TEST(ConsoleGate, ChecksTheTokenOfCalls) {
  const ConsoleGate gate{{.token = std::string(token)}};

  EXPECT_TRUE(gate.check(Metadata{{"trunkline-console-token", std::string(token)}}).is_ok());
  EXPECT_EQ(gate.check({}).code(), StatusCode::unauthenticated);
  for (const std::string_view wrong : {"", "0123456789abcdeg", "0123456789abcde", "0123456789abcdef0"}) {
    const Metadata metadata{{"trunkline-console-token", std::string(wrong)}};
    EXPECT_EQ(gate.check(metadata).code(), StatusCode::unauthenticated) << wrong;
  }
}

TEST(ConsoleGate, HasAnotherTokenEachTime) {
  const ConsoleGate first{ConsoleOptions{}};
  const ConsoleGate second{ConsoleOptions{}};

  const std::string given = token_in(text_of(page_of(first, "localhost")));

  EXPECT_EQ(second.check(Metadata{{"trunkline-console-token", given}}).code(), StatusCode::unauthenticated);
}

TEST(ConsoleGate, ThrowsForAShortToken) {
  try {
    const ConsoleGate gate{{.token = "short"}};
    FAIL() << "nothing was thrown";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "add console: token has 5 characters, at least 16 are needed");
  }
}

TEST(ConsoleGate, LetsNoOtherPageFrameIt) {
  const ConsoleGate gate{ConsoleOptions{}};

  const HttpResponse response = page_of(gate, "localhost");

  EXPECT_EQ(response.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(response.headers.get("x-frame-options"), "DENY");
  EXPECT_EQ(response.headers.get("cache-control"), "no-store");
  EXPECT_NE(response.headers.get("content-security-policy").value_or("").find("frame-ancestors 'none'"),
            std::string::npos);
}

}  // namespace

}  // namespace trunkline::service
