// SPDX-License-Identifier: MIT
// The table of gRPC's document, line by line.
#include "session/web/response_facts.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace trunkline::session::web {
namespace {

TEST(ResponseFacts, GivesTheCodeOfAnHttpStatus) {
  EXPECT_EQ(code_of_http_status(400), StatusCode::internal);
  EXPECT_EQ(code_of_http_status(401), StatusCode::unauthenticated);
  EXPECT_EQ(code_of_http_status(403), StatusCode::permission_denied);
  EXPECT_EQ(code_of_http_status(404), StatusCode::unimplemented);
  for (const std::uint32_t status : {429u, 502u, 503u, 504u}) {
    EXPECT_EQ(code_of_http_status(status), StatusCode::unavailable) << status;
  }
  for (const std::uint32_t status : {200u, 204u, 301u, 405u, 415u, 431u, 500u, 501u, 505u, 999u}) {
    EXPECT_EQ(code_of_http_status(status), StatusCode::unknown) << status;
  }
}

TEST(ResponseFacts, NameTheTypeThatCameInsteadOfTheOneOfTheCall) {
  const CodecRegistry codecs = CodecRegistry::with_defaults();
  const std::pair<std::string_view, Format> cases[] = {{"application/json", Format::connect_stream},
                                                       {"application/proto", Format::connect_stream},
                                                       {"application/connect+json", Format::connect_unary},
                                                       {"application/grpc-web+proto", Format::connect_stream},
                                                       {"application/connect+json", Format::grpc_web}};
  for (const auto& [type, format] : cases) {
    ResponseFacts facts;
    facts.http_status = 200;
    facts.take_content_type(type, codecs);

    // Callers keep the value only of types without a codec, as protobuf is in a build without it.
    const std::string_view kept = facts.codec == nullptr ? type : std::string_view();
    const Status status = facts.check(format, *codecs.find("json"), kept);

    EXPECT_EQ(status.message(), "receive headers: HTTP status 200 with content-type " + std::string(type));
  }
}

}  // namespace
}  // namespace trunkline::session::web
