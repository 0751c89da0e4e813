// SPDX-License-Identifier: MIT
// Definitions from files: where those that come with protobuf are found.
#include "cli/schema/file_source.h"

#include "cli/process/failure.h"
#include "cli/schema/well_known_files.h"

#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

namespace trunkline::cli::schema {
namespace {

using google::protobuf::FileDescriptorProto;

TEST(FileSource, ProtobufsOwnDefinitionsNeedNoFolder) {
  for (const auto* const file : well_known_files()) {
    const auto source = read_proto_files({file->name()}, {});

    FileDescriptorProto found;
    EXPECT_TRUE(source->FindFileByName(file->name(), &found)) << file->name();
    EXPECT_EQ(found.package(), "google.protobuf") << file->name();
    EXPECT_EQ(found.message_type_size(), file->message_type_count()) << file->name();
  }
  EXPECT_EQ(well_known_files().size(), 11u);
}

TEST(FileSource, AFileInAFolderThatDoesNotExistIsRefused) {
  EXPECT_THROW(read_proto_files({"no/such/folder/a.proto"}, {}), process::Failure);
}

}  // namespace
}  // namespace trunkline::cli::schema
