// SPDX-License-Identifier: MIT
// What metadata may be sent, and what it becomes.
#include "session/web/metadata_fields.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::session::web {
namespace {

TEST(MetadataFields, ReserveTheNamesOfHttpAndGrpc) {
  for (const char* name : {":path", ":status", "grpc-timeout", "grpc-anything", "content-type", "content-length", "te",
                           "user-agent", "host", "connection", "upgrade", "transfer-encoding"}) {
    EXPECT_TRUE(is_reserved_name(name)) << name;
  }
  for (const char* name : {"authorization", "x-grpc-test", "grpc", "test", "trace-bin"}) {
    EXPECT_FALSE(is_reserved_name(name)) << name;
  }
}

TEST(MetadataFields, ReachTheApplicationUnlessTheyAreTheProtocols) {
  for (const char* name : {":authority", "content-type", "te", "grpc-status", "grpc-status-details-bin", "grpc-message",
                           "grpc-timeout", "grpc-encoding", "grpc-accept-encoding", "user-agent", "accept-encoding"}) {
    EXPECT_TRUE(is_protocol_name(name)) << name;
  }
  for (const char* name : {"grpc-previous-rpc-attempts", "grpc-trace-bin", "authorization"}) {
    EXPECT_FALSE(is_protocol_name(name)) << name;
  }
}

TEST(MetadataFields, CarryPrintableTextAndAnyBytesUnderBinaryNames) {
  EXPECT_TRUE(check_sendable({}));
  EXPECT_TRUE(check_sendable({{"name_1.x-y", " ~"}, {"empty", ""}, {"a-bin", std::string("\0\xFF", 2)}}));
}

TEST(MetadataFields, RefuseOtherNamesAndValues) {
  for (const Metadata::Entry& entry :
       {Metadata::Entry{"grpc-foo", ""}, Metadata::Entry{"te", "trailers"}, Metadata::Entry{"a!b", ""},
        Metadata::Entry{"name", "a\tb"}, Metadata::Entry{"name", "\x7F"}, Metadata::Entry{"name", "\xE2\x98\xBA"}}) {
    const Status status = check_sendable({{"good", "value"}, entry});

    EXPECT_EQ(status.code(), StatusCode::invalid_argument);
    EXPECT_NE(status.message().find("entry " + entry.name + " has"), std::string_view::npos) << status.message();
  }
}

TEST(MetadataFields, HaveBase64WithoutPaddingOrTextWithoutOuterSpaces) {
  BufferWriter room;

  EXPECT_EQ(field_value("a-bin", "f", room), "Zg");
  EXPECT_EQ(field_value("a-bin", std::string_view("\0\xFF\xFE", 3), room), "AP/+");
  EXPECT_EQ(field_value("a-bin", "", room), "");
  EXPECT_EQ(field_value("a", "  b c ", room), "b c");
  EXPECT_EQ(field_value("a", "  ", room), "");
}

}  // namespace
}  // namespace trunkline::session::web
