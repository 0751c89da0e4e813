// SPDX-License-Identifier: MIT
// Which pages may open a WebSocket.
#include "session/web/origin.h"

#include <gtest/gtest.h>

namespace trunkline::session::web {
namespace {

TEST(WebSocketOrigin, IsTheHostItselfIfNoneIsListed) {
  EXPECT_TRUE(is_allowed_origin("http://localhost:8888", "localhost:8888", {}));
  EXPECT_TRUE(is_allowed_origin("https://Example.org", "example.ORG", {}));
  EXPECT_TRUE(is_allowed_origin("https://example.org", "example.org:443", {}));
  EXPECT_TRUE(is_allowed_origin("http://example.org:80", "example.org", {}));
  EXPECT_TRUE(is_allowed_origin("http://[::1]:8888", "[::1]:8888", {}));
  EXPECT_TRUE(is_allowed_origin("http://[::1]", "[::1]", {}));
}

TEST(WebSocketOrigin, IsNoOtherHostOrPort) {
  EXPECT_FALSE(is_allowed_origin("http://evil.example", "localhost:8888", {}));
  EXPECT_FALSE(is_allowed_origin("http://localhost:8889", "localhost:8888", {}));
  EXPECT_FALSE(is_allowed_origin("http://localhost", "localhost:8888", {}));
  EXPECT_FALSE(is_allowed_origin("https://example.org", "example.org:80", {}));
  EXPECT_FALSE(is_allowed_origin("http://localhost.evil.example:8888", "localhost:8888", {}));
  EXPECT_FALSE(is_allowed_origin("http://[::1]:1", "[::1]:2", {}));
}

TEST(WebSocketOrigin, IsNotWhatIsNone) {
  for (const std::string_view origin : {"null", "", "localhost:8888", "://", "http://"}) {
    EXPECT_FALSE(is_allowed_origin(origin, "localhost:8888", {})) << origin;
    EXPECT_FALSE(is_allowed_origin(origin, "", {})) << origin;
    EXPECT_FALSE(is_allowed_origin(origin, "localhost:8888", {"http://localhost:8888"})) << origin;
  }
}

TEST(WebSocketOrigin, IsOneOfTheListAlone) {
  const std::vector<std::string> allowed{"https://example.org", "http://localhost:3000"};

  EXPECT_TRUE(is_allowed_origin("https://EXAMPLE.org", "a", allowed));
  EXPECT_TRUE(is_allowed_origin("https://example.org:443", "a", allowed));
  EXPECT_TRUE(is_allowed_origin("http://localhost:3000", "a", allowed));
  EXPECT_FALSE(is_allowed_origin("http://example.org", "a", allowed));
  EXPECT_FALSE(is_allowed_origin("https://example.org:8443", "a", allowed));
  EXPECT_FALSE(is_allowed_origin("http://a", "a", allowed));
}

TEST(WebSocketOrigin, IsAnyWithAStar) {
  EXPECT_TRUE(is_allowed_origin("http://evil.example", "localhost", {"*"}));
  EXPECT_TRUE(is_allowed_origin("null", "localhost", {"*"}));
}

TEST(WebSocketOrigin, HasASchemeAHostAndMaybeAPort) {
  for (const std::string_view good :
       {"*", "https://example.org", "http://localhost:3000", "http://[::1]:80", "app://x"}) {
    EXPECT_TRUE(is_origin_pattern(good)) << good;
  }
  for (const std::string_view bad : {"", "example.org", "https://", "https://a/", "https://a/b",
                                     "https://a:", "https://a:x", "http://u@a", "https://a b", "null", "**"}) {
    EXPECT_FALSE(is_origin_pattern(bad)) << bad;
  }
}

}  // namespace
}  // namespace trunkline::session::web
