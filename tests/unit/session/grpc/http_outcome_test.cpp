// SPDX-License-Identifier: MIT
// The table of gRPC's document, line by line.
#include "session/grpc/http_outcome.h"

#include <gtest/gtest.h>

namespace trunkline::session::grpc {
namespace {

using http::http2::ErrorCode;

TEST(HttpOutcome, GivesTheCodeOfAReset) {
  for (const ErrorCode code :
       {ErrorCode::no_error, ErrorCode::protocol_error, ErrorCode::internal_error, ErrorCode::flow_control_error,
        ErrorCode::settings_timeout, ErrorCode::stream_closed, ErrorCode::frame_size_error,
        ErrorCode::compression_error, ErrorCode::connect_error, static_cast<ErrorCode>(99)}) {
    EXPECT_EQ(code_of_reset(code), StatusCode::internal) << to_string(code);
  }
  EXPECT_EQ(code_of_reset(ErrorCode::refused_stream), StatusCode::unavailable);
  EXPECT_EQ(code_of_reset(ErrorCode::cancel), StatusCode::cancelled);
  EXPECT_EQ(code_of_reset(ErrorCode::enhance_your_calm), StatusCode::resource_exhausted);
  EXPECT_EQ(code_of_reset(ErrorCode::inadequate_security), StatusCode::permission_denied);
  EXPECT_EQ(code_of_reset(ErrorCode::http_1_1_required), StatusCode::unknown);
}

}  // namespace
}  // namespace trunkline::session::grpc
