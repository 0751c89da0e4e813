// SPDX-License-Identifier: MIT
// split_body: header block and message out of a body.
#include "wire/body.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::wire {
namespace {

using namespace std::string_literals;

Status split(std::uint8_t flags, const std::string& body, FrameBody& out, std::uint32_t limit = 8192) {
  const FrameHeader header{
      .length = static_cast<std::uint32_t>(body.size()), .type = FrameType::message, .flags = flags, .call = 1};
  return split_body(header, as_bytes(body), limit, out);
}

TEST(FrameBody, WithoutHeadersIsAllMessage) {
  FrameBody parts;
  const std::string body = "hello";

  const Status status = split(flag::message, body, parts);

  EXPECT_TRUE(status.is_ok());
  EXPECT_TRUE(parts.fields.empty());
  EXPECT_EQ(as_text(parts.message), "hello");
}

TEST(FrameBody, WithHeadersAndMessageIsSplitAtTheSizeOfTheBlock) {
  FrameBody parts;
  const std::string body = "\x03\0\0\0abcrest"s;

  const Status status = split(flag::headers | flag::message, body, parts);

  EXPECT_TRUE(status.is_ok());
  EXPECT_EQ(as_text(parts.fields), "abc");
  EXPECT_EQ(as_text(parts.message), "rest");
}

TEST(FrameBody, MayHaveAnEmptyBlockAndAnEmptyMessage) {
  FrameBody parts;
  const std::string body = "\0\0\0\0"s;

  EXPECT_TRUE(split(flag::headers | flag::message, body, parts).is_ok());
  EXPECT_TRUE(parts.fields.empty());
  EXPECT_TRUE(parts.message.empty());
}

TEST(FrameBody, RefusesABlockLongerThanTheBody) {
  FrameBody parts;
  const std::string body = "\x04\0\0\0abc"s;

  const Status alone = split(flag::headers, body, parts);
  const Status with_message = split(flag::headers | flag::message, body, parts);

  EXPECT_EQ(alone,
            Status(StatusCode::internal, "decode frame: header block of 4 bytes in a message frame with room for 3"));
  EXPECT_EQ(with_message, alone);
}

TEST(FrameBody, RefusesRestWithoutMessage) {
  FrameBody parts;
  const std::string body = "\x02\0\0\0abc"s;

  const Status status = split(flag::headers, body, parts);

  EXPECT_EQ(status, Status(StatusCode::internal,
                           "decode frame: header block of 2 bytes in a message frame with room for 3 and no message"));
}

TEST(FrameBody, RefusesACallsMessageWithoutCodec) {
  const std::string body = "\x01\0\0\0ab"s;
  FrameHeader header{
      .length = 6, .type = FrameType::call, .flags = flag::headers | flag::message, .call = 1, .number = 1};
  FrameBody parts;

  EXPECT_EQ(split_body(header, as_bytes(body), 8192, parts),
            Status(StatusCode::internal,
                   "decode frame: header block of 1 bytes in a call frame with room for 2 and no codec"));
  header.codec = 1;
  EXPECT_TRUE(split_body(header, as_bytes(body), 8192, parts).is_ok());
}

TEST(FrameBody, NamesTheLimitForATooLongBlock) {
  FrameBody parts;
  const std::string body = "\x03\0\0\0abc"s;

  EXPECT_TRUE(split(flag::headers, body, parts, 3).is_ok());
  EXPECT_EQ(split(flag::headers, body, parts, 2),
            Status(StatusCode::resource_exhausted, "decode frame: header block of 3 bytes exceeds max_header_bytes 2"));
}

TEST(FrameBody, NamesTheLimitEvenIfTheBodyIsShorter) {
  FrameBody parts;
  const std::string body = "\xFF\xFF\xFF\xFF"s;

  EXPECT_EQ(split(flag::headers | flag::message, body, parts).code(), StatusCode::resource_exhausted);
}

}  // namespace
}  // namespace trunkline::wire
