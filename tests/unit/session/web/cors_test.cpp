// SPDX-License-Identifier: MIT
// Which origins are allowed, and the fields that say so.
#include "session/web/cors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace trunkline::session::web {
namespace {

using testing::HasSubstr;
using testing::Not;

struct FieldMap final : FieldSink {
  std::map<std::string, std::string> fields;

  void field(std::string_view name, std::string_view value, bool) override { fields.emplace(name, value); }
};

TEST(Cors, FindsTheEntryOfAnOrigin) {
  const std::vector<std::string> allowed{"https://app.example", "http://localhost:3000"};

  EXPECT_EQ(find_cors_origin("https://app.example", allowed), &allowed[0]);
  EXPECT_EQ(find_cors_origin("http://localhost:3000", allowed), &allowed[1]);
  for (const char* origin : {"", "null", "http://app.example", "https://app.example:444", "https://app.example.evil",
                             "https://evil.https://app.example", "http://localhost"}) {
    EXPECT_EQ(find_cors_origin(origin, allowed), nullptr) << origin;
  }
  EXPECT_EQ(find_cors_origin("https://app.example", {}), nullptr);
}

TEST(Cors, TakesAnyOriginIfAllAreAllowed) {
  const std::vector<std::string> allowed{"*"};

  EXPECT_EQ(find_cors_origin("null", allowed), &allowed[0]);
}

TEST(Cors, LetsPagesReadTheStatusAndMetadata) {
  FieldMap sink;

  write_cors_fields("https://app.example", nullptr, sink);

  EXPECT_EQ(sink.fields, (std::map<std::string, std::string>{
                             {"access-control-allow-origin", "https://app.example"},
                             {"access-control-expose-headers", "grpc-status, grpc-message, grpc-status-details-bin, *"},
                             {"vary", "origin"}}));
}

TEST(Cors, SaysNothingTwiceThatTheHandlerHasSaid) {
  FieldMap origin;
  FieldMap headers;

  const Metadata own_origin{{"access-control-allow-origin", "https://b.example"}, {"x-a", "b"}};
  write_cors_fields("*", &own_origin, origin);
  const Metadata own_headers{{"access-control-expose-headers", "x-a"}};
  write_cors_fields("*", &own_headers, headers);

  EXPECT_EQ(origin.fields.count("access-control-allow-origin"), 0U);
  EXPECT_EQ(origin.fields.count("access-control-expose-headers"), 1U);
  EXPECT_EQ(headers.fields.at("access-control-allow-origin"), "*");
  EXPECT_EQ(headers.fields.count("access-control-expose-headers"), 0U);
}

TEST(Cors, AllowsTheHeadersOfTheProtocolsAndTheApplications) {
  FieldMap plain;
  FieldMap asked;

  write_preflight_fields("*", {}, plain);
  write_preflight_fields("*", "authorization,x-a, x-b-bin", asked);

  EXPECT_EQ(plain.fields.at("access-control-allow-origin"), "*");
  EXPECT_EQ(plain.fields.at("access-control-allow-methods"), "GET, POST");
  EXPECT_EQ(plain.fields.at("access-control-max-age"), "7200");
  const std::string usual =
      "content-type, connect-protocol-version, connect-timeout-ms, grpc-timeout, x-grpc-web, x-user-agent";
  EXPECT_EQ(plain.fields.at("access-control-allow-headers"), usual);
  EXPECT_EQ(asked.fields.at("access-control-allow-headers"), usual + ", authorization,x-a, x-b-bin");
  EXPECT_EQ(asked.fields.count("access-control-allow-credentials"), 0U);
}

TEST(Cors, RepeatsNothingThatIsNoListOfNames) {
  FieldMap sink;

  write_preflight_fields("*", "x-a: b; (c)", sink);

  EXPECT_THAT(sink.fields.at("access-control-allow-headers"), Not(HasSubstr("x-a")));
}

}  // namespace
}  // namespace trunkline::session::web
