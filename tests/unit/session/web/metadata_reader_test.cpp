// SPDX-License-Identifier: MIT
// Header fields to metadata: binary values, and the limit.
#include "session/web/metadata_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::session::web {
namespace {

constexpr std::size_t roomy = 16384;

TEST(MetadataReader, KeepsFieldsInOrderAndSkipsTheProtocols) {
  MetadataReader reader(roomy);
  Metadata metadata;

  EXPECT_TRUE(reader.add(":path", "/a", metadata));
  EXPECT_TRUE(reader.add("b", "1", metadata));
  EXPECT_TRUE(reader.add("grpc-timeout", "1S", metadata));
  EXPECT_TRUE(reader.add("a", "x,y", metadata));
  EXPECT_TRUE(reader.add("b", "", metadata));

  EXPECT_EQ(metadata, (Metadata{{"b", "1"}, {"a", "x,y"}, {"b", ""}}));
}

TEST(MetadataReader, DecodesAndSplitsBinaryValues) {
  MetadataReader reader(roomy);
  Metadata metadata;

  EXPECT_TRUE(reader.add("a-bin", "Zg, Zg==,,AP/+", metadata));

  EXPECT_EQ(metadata,
            (Metadata{{"a-bin", "f"}, {"a-bin", "f"}, {"a-bin", ""}, {"a-bin", std::string("\0\xFF\xFE", 3)}}));
}

TEST(MetadataReader, RefusesWhatIsNotBase64) {
  for (const char* value : {"Z", "Zg=", "Z===", "Zh", "Zg,!", "Zm9-", "Zg==Zg=="}) {
    MetadataReader reader(roomy);
    Metadata metadata;

    const Status status = reader.add("a-bin", value, metadata);

    EXPECT_EQ(status.code(), StatusCode::internal) << value;
    EXPECT_EQ(status.message(), "read metadata: field a-bin has a value that is not base64");
  }
}

TEST(MetadataReader, RefusesANameThatMetadataCannotHold) {
  MetadataReader reader(roomy);
  Metadata metadata;

  EXPECT_TRUE(reader.add(std::string(255, 'a'), "", metadata));
  EXPECT_EQ(reader.add(std::string(256, 'a'), "", metadata).code(), StatusCode::internal);
  EXPECT_EQ(metadata.size(), 1u);
}

TEST(MetadataReader, CountsTheEntriesOfOneFieldAgainstTheLimit) {
  MetadataReader reader(3 * (5 + 32));
  Metadata metadata;

  EXPECT_TRUE(reader.add("a-bin", ",,", metadata));
  EXPECT_EQ(reader.add("a-bin", "", metadata).code(), StatusCode::resource_exhausted);
  EXPECT_EQ(metadata.size(), 3u);

  reader.begin();
  EXPECT_TRUE(reader.add("a-bin", "", metadata));
}

}  // namespace
}  // namespace trunkline::session::web
