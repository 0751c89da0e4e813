// SPDX-License-Identifier: MIT
// Metadata and statuses as header fields, in little room.
#include "session/native/header_fields.h"

#include "wire/header_block.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

wire::HeaderBlock read(const Slice& fields) {
  wire::HeaderBlock block;
  EXPECT_TRUE(wire::read_header_block(fields.bytes(), wire::FrameType::finish, block).is_ok());
  return block;
}

TEST(HeaderFields, OfAnOkStatusWithoutMetadataAreEmpty) {
  EXPECT_TRUE(encode_finish_fields({}, nullptr, 8192).empty());
}

TEST(HeaderFields, CarryMessageDetailsAndMetadata) {
  Status status(StatusCode::aborted, "stop");
  status.add_detail("type", "value");
  Metadata trailing;
  trailing.add("name", "value");

  const Slice fields = encode_finish_fields(status, &trailing, 8192);

  const wire::HeaderBlock block = read(fields);
  EXPECT_EQ(block.status_message, "stop");
  EXPECT_EQ(block.detail_count, 1u);
  EXPECT_EQ(block.metadata_count, 1u);
}

TEST(HeaderFields, CutTheMessageAndLeaveOutDetailsThatDoNotFit) {
  Status status(StatusCode::aborted, std::string(10000, 'x'));
  status.add_detail("type", std::string(5000, 'y'));
  status.add_detail("type", "short");

  const Slice fields = encode_status_fields(status, 8192);

  const wire::HeaderBlock block = read(fields);
  EXPECT_EQ(block.status_message.size(), 4096u);
  EXPECT_EQ(block.detail_count, 1u);
  EXPECT_LE(fields.size(), 8192u);
}

TEST(HeaderFields, OfMetadataLeaveRoomForAStatus) {
  Metadata trailing;
  trailing.add("name", std::string(1000, 'x'));
  const std::size_t size = max_encoded_bytes(trailing);

  EXPECT_TRUE(fits_finish(nullptr, 64));
  EXPECT_TRUE(fits_finish(&trailing, size + 64));
  EXPECT_FALSE(fits_finish(&trailing, size + 63));
  EXPECT_LE(encode_metadata(trailing).size(), size);
}

}  // namespace
}  // namespace trunkline::session::native
