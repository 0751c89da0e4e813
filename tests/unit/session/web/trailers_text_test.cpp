// SPDX-License-Identifier: MIT
// The trailers of gRPC-Web at a client: what they say, and what is malformed.
#include "session/web/trailers_text.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string_view>

namespace trunkline::session::web {
namespace {

using namespace std::chrono_literals;

Status read(std::string_view text, TrailersText& out, std::size_t most_bytes = 16384) {
  MetadataReader reader(most_bytes);
  return read_trailers_text(text, reader, out);
}

TEST(TrailersText, IsReadWithStatusAndMetadata) {
  TrailersText trailers;

  const Status wrong =
      read("grpc-status: 10\r\nGRPC-Message:100 %25 caf%C3%A9 \r\ngrpc-retry-pushback-ms: 20\r\nKey: a\r\nkey:b\r\n",
           trailers);

  ASSERT_TRUE(wrong.is_ok()) << wrong.to_string();
  EXPECT_EQ(trailers.outcome.code(), StatusCode::aborted);
  EXPECT_EQ(trailers.outcome.message(), "100 % caf\xC3\xA9");
  EXPECT_EQ(trailers.outcome.origin(), StatusOrigin::peer);
  EXPECT_EQ(trailers.pushback, 20ms);
  EXPECT_EQ(trailers.metadata, (Metadata{{"key", "a"}, {"key", "b"}}));
}

TEST(TrailersText, EndsLinesAlsoWithALineFeedOrNothing) {
  TrailersText trailers;

  ASSERT_TRUE(read("a: 1\n\ngrpc-status: 0", trailers).is_ok());

  EXPECT_TRUE(trailers.outcome.is_ok());
  EXPECT_EQ(trailers.metadata, (Metadata{{"a", "1"}}));
}

TEST(TrailersText, IsRefusedIfItIsMalformed) {
  for (const std::string_view text : {"", "a: 1\r\n", "grpc-status\r\n", ": 0\r\n", "grpc-status: 0\r\nx y: 1\r\n",
                                      "grpc-status: 0\r\na-bin: !\r\n"}) {
    TrailersText trailers;
    EXPECT_EQ(read(text, trailers).code(), StatusCode::internal) << text;
  }
}

TEST(TrailersText, WithTwoStatusesAreNoSuccess) {
  TrailersText trailers;

  EXPECT_TRUE(read("grpc-status: 0\r\ngrpc-status: 0\r\n", trailers).is_ok());
  EXPECT_EQ(read("grpc-status: 5\r\ngrpc-status: 0\r\n", trailers).message(),
            "receive trailers: grpc-status is given twice, as '5' and as '0'");
  EXPECT_EQ(read("grpc-status: 0\r\nGrpc-Status: 5\r\n", trailers).code(), StatusCode::unknown);
}

TEST(TrailersText, ShowsNamesWithoutControlCharacters) {
  TrailersText trailers;

  const Status status = read("grpc-status: 0\r\nx\ry\x1b: 1\r\n", trailers);

  EXPECT_EQ(status.message(), "read metadata: field x\\x0dy\\x1b has a name that is no token of at most 255 bytes");
}

TEST(TrailersText, HasAsMuchMetadataAsTheLimitAllows) {
  TrailersText trailers;

  EXPECT_TRUE(read("grpc-status: 0\r\na: 1\r\n", trailers, 34).is_ok());
  EXPECT_EQ(read("grpc-status: 0\r\na: 1\r\n", trailers, 33).code(), StatusCode::resource_exhausted);
}

TEST(TrailersText, WithAStatusThatIsNoNumberIsUnknown) {
  TrailersText trailers;

  ASSERT_TRUE(read("grpc-status: x\r\n", trailers).is_ok());

  EXPECT_EQ(trailers.outcome.code(), StatusCode::unknown);
}

}  // namespace
}  // namespace trunkline::session::web
