// SPDX-License-Identifier: MIT
// What becomes of a response by the conditions and ranges of its request.
#include <trunkline/http_request.h>
#include <trunkline/http_response.h>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline {
namespace {

/// A response with both validators to a request with `headers`.
HttpResponse answer(const Metadata& headers, std::string_view method = "GET") {
  Metadata all{{"trunkline-request", std::string(method) + " /file"}};
  for (const auto& [name, value] : headers) all.add(name, value);
  HttpResponse response{.content_type = "image/png", .body = Slice::copy_of("0123456789")};
  response.headers.add("etag", "\"v1\"");
  response.headers.add("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT");
  return std::move(response).for_request(HttpRequest("GET /file", all, {}));
}

TEST(HttpResponseForRequest, IsWholeWithoutConditions) {
  const HttpResponse response = answer({});

  EXPECT_EQ(response.status, 200U);
  EXPECT_EQ(response.body.text(), "0123456789");
  EXPECT_EQ(response.headers.get("accept-ranges"), "bytes");
}

TEST(HttpResponseForRequest, IsAPartIfARangeIsWanted) {
  const HttpResponse part = answer({{"range", "bytes=2-4"}});
  const HttpResponse beyond = answer({{"range", "bytes=10-"}});
  const HttpResponse several = answer({{"range", "bytes=0-1,3-4"}});
  const HttpResponse head = answer({{"range", "bytes=2-4"}}, "HEAD");

  EXPECT_EQ(part.status, 206U);
  EXPECT_EQ(part.body.text(), "234");
  EXPECT_EQ(part.content_type, "image/png");
  EXPECT_EQ(part.headers.get("content-range"), "bytes 2-4/10");
  EXPECT_EQ(part.headers.get("etag"), "\"v1\"");
  EXPECT_EQ(beyond.status, 416U);
  EXPECT_EQ(beyond.headers.get("content-range"), "bytes */10");
  EXPECT_EQ(several.status, 200U);
  EXPECT_EQ(head.status, 200U);
}

TEST(HttpResponseForRequest, IsAPartOnlyOfWhatTheClientHas) {
  for (const std::string& same : {std::string("\"v1\""), std::string("Sun, 06 Nov 1994 08:49:37 GMT")}) {
    EXPECT_EQ(answer({{"range", "bytes=0-1"}, {"if-range", same}}).status, 206U) << same;
  }
  for (const std::string& other :
       std::vector<std::string>{"\"v2\"", "W/\"v1\"", "*", "Sun, 06 Nov 1994 08:49:38 GMT", "\"v1\", \"v2\""}) {
    EXPECT_EQ(answer({{"range", "bytes=0-1"}, {"if-range", other}}).status, 200U) << other;
  }
}

TEST(HttpResponseForRequest, IsNoneIfTheClientHasIt) {
  const HttpResponse known = answer({{"if-none-match", "\"v0\", W/\"v1\""}});
  const HttpResponse old = answer({{"if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT"}});

  EXPECT_EQ(known.status, 304U);
  EXPECT_TRUE(known.body.empty());
  EXPECT_EQ(known.content_type, "");
  EXPECT_EQ(known.headers.get("etag"), "\"v1\"");
  EXPECT_EQ(old.status, 304U);
  EXPECT_EQ(answer({{"if-none-match", "\"v0\""}}).status, 200U);
  EXPECT_EQ(answer({{"if-none-match", "\"v0\""}, {"if-none-match", "\"v1\""}}).status, 304U) << "one list";
  EXPECT_EQ(answer({{"if-modified-since", "Sun, 06 Nov 1994 08:49:36 GMT"}}).status, 200U);
  EXPECT_EQ(answer({{"if-modified-since", "yesterday"}}).status, 200U);
  EXPECT_EQ(answer({{"if-none-match", "\"v0\""}, {"if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT"}}).status, 200U)
      << "the tag says more";
}

TEST(HttpResponseForRequest, IsAnErrorIfItIsNotWhatTheClientExpects) {
  EXPECT_EQ(answer({{"if-match", "\"v0\""}}).status, 412U);
  EXPECT_EQ(answer({{"if-match", "\"v1\""}}).status, 200U);
  EXPECT_EQ(answer({{"if-match", "\"v0\""}, {"if-match", "\"v1\""}}).status, 200U) << "one list";
  EXPECT_EQ(answer({{"if-unmodified-since", "Sun, 06 Nov 1994 08:49:36 GMT"}}).status, 412U);
  EXPECT_EQ(answer({{"if-unmodified-since", "Sun, 06 Nov 1994 08:49:37 GMT"}}).status, 200U);
}

TEST(HttpResponseForRequest, LeavesOtherResponsesAndMethodsAlone) {
  const Metadata headers{{"trunkline-request", "GET /file"}, {"range", "bytes=0-0"}, {"if-none-match", "*"}};
  const HttpResponse error = HttpResponse::text("no", 404).for_request(HttpRequest("GET /file", headers, {}));

  EXPECT_EQ(error.status, 404U);
  EXPECT_EQ(error.body.text(), "no");
  EXPECT_EQ(answer({{"range", "bytes=0-0"}}, "POST").status, 200U);
}

}  // namespace

}  // namespace trunkline
