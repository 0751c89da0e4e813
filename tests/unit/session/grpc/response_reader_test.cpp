// SPDX-License-Identifier: MIT
// ResponseReader: blocks that repeat mean what their decoder's table says, whether they are decoded or remembered.
#include "session/grpc/response_reader.h"
#include "http/hpack/encoder.h"
#include "kit/session_end.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace trunkline::session::grpc {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;
using Outcome = ResponseReader::Outcome;
using Section = ResponseReader::Section;

class RepeatedResponse : public testing::Test {
 protected:
  std::string encode(const Fields& fields) {
    BufferWriter out;
    encoder_.begin(out);
    for (const auto& [name, value] : fields) encoder_.field(name, value, http::hpack::Indexing::index, out);
    return std::string(as_text(out.bytes()));
  }

  const SessionOptions options_ = kit::plain_options();
  const web::MessageEncodings encodings_{options_.compressors};
  ResponseReader reader_{options_, encodings_};
  http::hpack::Encoder encoder_;
};

TEST_F(RepeatedResponse, IsReadTheSameUntilTheTableChanges) {
  const Fields usual{{":status", "200"}, {"content-type", "application/grpc+bytes"}, {"content-length", "5"}};
  ASSERT_EQ(reader_.read(as_bytes(encode(usual)), Section::response), Outcome::response);
  const std::string block = encode(usual);
  ASSERT_EQ(block.size(), 3u);

  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(reader_.read(as_bytes(block), Section::response), Outcome::response);
    EXPECT_EQ(reader_.response().http_status, 200u);
    EXPECT_EQ(reader_.response().content, ResponseContent::of_codec);
    EXPECT_EQ(reader_.response().content_length, 5u);
  }
  // One more field moves the others in the table: the same bytes say something else.
  const Fields other{{":status", "200"}, {"content-type", "application/grpc"}, {"content-length", "7"}};
  ASSERT_EQ(reader_.read(as_bytes(encode(other)), Section::response), Outcome::response);
  ASSERT_EQ(encode(other), block);
  ASSERT_EQ(reader_.read(as_bytes(block), Section::response), Outcome::response);
  EXPECT_EQ(reader_.response().content, ResponseContent::of_call);
  EXPECT_EQ(reader_.response().content_length, 7u);
}

TEST_F(RepeatedResponse, IsCheckedForItsSection) {
  const Fields usual{{":status", "200"}, {"content-type", "application/grpc"}};
  ASSERT_EQ(reader_.read(as_bytes(encode(usual)), Section::response), Outcome::response);
  const std::string block = encode(usual);
  ASSERT_EQ(reader_.read(as_bytes(block), Section::response), Outcome::response);

  EXPECT_EQ(reader_.read(as_bytes(block), Section::trailers), Outcome::malformed);
  EXPECT_EQ(reader_.read(as_bytes(block), Section::response), Outcome::response);
}

TEST_F(RepeatedResponse, WithTwoStatusesIsRefused) {
  const Fields same{{"grpc-status", "0"}, {"grpc-status", "0"}};
  const Fields different{{"grpc-status", "5"}, {"grpc-status", "0"}};

  EXPECT_EQ(reader_.read(as_bytes(encode(same)), Section::trailers), Outcome::response);
  EXPECT_TRUE(reader_.status().is_ok());
  EXPECT_EQ(reader_.read(as_bytes(encode(different)), Section::trailers), Outcome::refused);
  EXPECT_EQ(reader_.status().code(), StatusCode::unknown);
  EXPECT_EQ(reader_.status().message(), "receive trailers: grpc-status is given twice, as '5' and as '0'");
}

TEST_F(RepeatedResponse, HasItsStatusAndMetadata) {
  const Fields failed{{"grpc-status", "5"}, {"grpc-message", "gone"}};
  const Fields fine{{"grpc-status", "0"}};
  const Fields with_metadata{{"grpc-status", "0"}, {"k", "v"}};

  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(reader_.read(as_bytes(encode(failed)), Section::trailers), Outcome::response);
    EXPECT_EQ(reader_.status().code(), StatusCode::not_found);
    EXPECT_EQ(reader_.status().message(), "gone");
    ASSERT_EQ(reader_.read(as_bytes(encode(fine)), Section::trailers), Outcome::response);
    EXPECT_TRUE(reader_.response().has_status);
    EXPECT_TRUE(reader_.status().is_ok());
    EXPECT_TRUE(reader_.response().metadata.empty());
    ASSERT_EQ(reader_.read(as_bytes(encode(with_metadata)), Section::trailers), Outcome::response);
    EXPECT_EQ(reader_.response().metadata, (Metadata{{"k", "v"}}));
  }
}

}  // namespace
}  // namespace trunkline::session::grpc
