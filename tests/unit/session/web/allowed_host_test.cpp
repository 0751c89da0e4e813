// SPDX-License-Identifier: MIT
// allowed_hosts: which hosts a request may be for.
#include "session/web/allowed_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trunkline::session::web {
namespace {

using testing::HasSubstr;

const std::vector<std::string> list{"api.example.com", "*.apps.example.com"};

TEST(AllowedHost, IsOneOfTheListWhateverItsPortAndItsCase) {
  for (const std::string_view host : {"api.example.com", "api.example.com:8080", "API.Example.COM", "api.example.com.",
                                      "a.apps.example.com", "a.b.Apps.example.com:1"}) {
    EXPECT_TRUE(is_allowed_host(host, list)) << host;
  }
}

TEST(AllowedHost, IsWhatNobodyCanMakePointElsewhere) {
  for (const std::string_view host :
       {"localhost", "localhost:80", "LOCALHOST", "127.0.0.1", "10.0.0.7:4000", "[::1]", "[2001:db8::1]:443"}) {
    EXPECT_TRUE(is_allowed_host(host, list)) << host;
  }
}

TEST(AllowedHost, IsNoOther) {
  for (const std::string_view host :
       {"", "evil.example", "example.com", "apps.example.com", "xapi.example.com", "api.example.com.evil.example",
        "evil.example#api.example.com", "user@api.example.com", ".apps.example.com", "evilapps.example.com",
        "localhost.evil.example", "127.0.0.1.evil.example", "1.2.3", "::1", "[::1", "[evil.example]", ":80", "."}) {
    EXPECT_FALSE(is_allowed_host(host, list)) << host;
  }
}

TEST(AllowedHost, IsAnyoneWithoutAList) { EXPECT_TRUE(is_allowed_host("evil.example", {})); }

TEST(AllowedHost, IsListedAsANameOrWithAWildcardInFront) {
  for (const std::string_view text : {"a", "a.example", "*.example", "A-1_b.example"}) {
    EXPECT_TRUE(is_host_pattern(text)) << text;
  }
  for (const std::string_view text :
       {"", "*", "*.", "a.*", "*a.example", ".a", "a.", "a:80", "http://a", "a/b", "[::1]", "a b", "*.*.example"}) {
    EXPECT_FALSE(is_host_pattern(text)) << text;
  }
}

TEST(AllowedHost, IsNamedInTheRefusal) {
  EXPECT_THAT(text_of_refused_host("evil.example:1"),
              HasSubstr("the host evil.example:1 is neither one of allowed_hosts"));
  EXPECT_THAT(text_of_refused_host(""), HasSubstr("names no host"));
  EXPECT_LT(text_of_refused_host(std::string(10000, 'x')).size(), 300U);
}

}  // namespace
}  // namespace trunkline::session::web
