// SPDX-License-Identifier: MIT
// Fields of responses over HTTP/1.1: those that come twice, and names of encodings.
#include "session/web/response_fields.h"

#include "kit/session_end.h"

#include <gtest/gtest.h>

namespace trunkline::session::web {
namespace {

class Fields : public testing::Test {
 protected:
  /// What a response with these fields says.
  ResponseFields& read(ResponseFields& fields,
                       std::initializer_list<std::pair<std::string_view, std::string_view>> all) {
    fields.begin(200);
    for (const auto& [name, value] : all) fields.add(name, value);
    fields.finish();
    return fields;
  }

  const SessionOptions options_ = kit::plain_options();
  const CompressorRegistry compressors_ = CompressorRegistry::with_defaults();
  const MessageEncodings encodings_{&compressors_};
  ResponseFields grpc_web_{options_, encodings_, ClientProtocol::grpc_web};
  ResponseFields connect_{options_, encodings_, ClientProtocol::connect};
};

TEST_F(Fields, WithTwoStatusesRefuseTheResponse) {
  EXPECT_TRUE(read(grpc_web_, {{"grpc-status", "5"}, {"grpc-status", "5"}}).refusal().is_ok());
  EXPECT_EQ(grpc_web_.status().code(), StatusCode::not_found);

  EXPECT_EQ(read(grpc_web_, {{"grpc-status", "5"}, {"grpc-status", "0"}}).refusal().code(), StatusCode::unknown);
  EXPECT_EQ(grpc_web_.refusal().message(), "receive trailers: grpc-status is given twice, as '5' and as '0'");

  EXPECT_TRUE(read(grpc_web_, {{"grpc-status", "0"}}).refusal().is_ok());
}

TEST_F(Fields, NameEncodingsInAnyCase) {
  const auto* const snappy = compressors_.find("snappy");

  EXPECT_EQ(read(connect_, {{"content-encoding", "Snappy"}}).facts().body_compressor, snappy);
  EXPECT_EQ(read(grpc_web_, {{"grpc-encoding", "SNAPPY"}}).facts().compressor, snappy);
  EXPECT_FALSE(read(connect_, {{"content-encoding", "Identity"}}).facts().has_unknown_encoding);
  EXPECT_TRUE(read(connect_, {{"content-encoding", "x-snappy"}}).facts().has_unknown_encoding);
}

TEST_F(Fields, ShowAContentTypeWithoutControlCharacters) {
  EXPECT_EQ(read(connect_, {{"content-type", "a/b\x1b[31m\xFF"}}).other_content_type(), "a/b\\x1b[31m?");
}

}  // namespace
}  // namespace trunkline::session::web
