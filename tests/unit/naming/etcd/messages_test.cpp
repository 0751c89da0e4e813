// SPDX-License-Identifier: MIT
// The messages of etcd, byte by byte as protoc writes and reads them.
#include "naming/etcd/requests.h"
#include "naming/etcd/responses.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace trunkline::naming::etcd {
namespace {

using namespace std::string_view_literals;

/// A field with a length, for lengths below 128.
std::string field(int number, std::string_view bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + std::string(bytes);
}

std::string varint_field(int number, int value) { return {static_cast<char>(number << 3), static_cast<char>(value)}; }

TEST(EtcdRequests, AreWrittenAsProtobuf) {
  EXPECT_EQ(authenticate_request("root", "secret"), "\x0A\x04root\x12\x06secret");
  EXPECT_EQ(range_request("a/"),
            "\x0A\x02"
            "a/\x12\x02"
            "a0");
  EXPECT_EQ(watch_request("a/", 300),
            "\x0A\x0B\x0A\x02"
            "a/\x12\x02"
            "a0\x18\xAC\x02");
  EXPECT_EQ(put_request("k", "v", 7), "\x0A\x01k\x12\x01v\x18\x07");
  EXPECT_EQ(grant_request(10), "\x08\x0A");
  EXPECT_EQ(keep_alive_request(7), "\x08\x07");
  EXPECT_EQ(revoke_request(7), "\x08\x07");
}

TEST(EtcdRequests, EndAPrefixAtTheNextKey) {
  EXPECT_EQ(end_of_prefix("a/"), "a0");
  EXPECT_EQ(end_of_prefix("a\xFF\xFF"), "b");
  EXPECT_EQ(end_of_prefix("\xFF"), std::string(1, '\0'));
}

TEST(EtcdResponses, ReadAToken) {
  EXPECT_EQ(AuthenticateResponse::read(field(1, varint_field(3, 9)) + field(2, "abc.1")).token, "abc.1");
}

TEST(EtcdResponses, ReadKeys) {
  const std::string key = field(1, "a/1") + varint_field(2, 3) + varint_field(3, 5) + varint_field(4, 2) +
                          field(5, "value") + varint_field(6, 1);

  const RangeResponse response = RangeResponse::read(field(1, varint_field(1, 1) + varint_field(3, 9)) + field(2, key) +
                                                     field(2, field(1, "b")) + varint_field(4, 2));

  EXPECT_EQ(response.revision, 9u);
  ASSERT_EQ(response.keys.size(), 2u);
  EXPECT_EQ(response.keys[0], (KeyValue{.key = "a/1", .value = "value", .revision = 5}));
  EXPECT_EQ(response.keys[1], (KeyValue{.key = "b"}));
}

TEST(EtcdResponses, ReadChanges) {
  const std::string put = field(2, field(1, "a") + varint_field(3, 5) + field(5, "v"));
  const std::string deletion = varint_field(1, 1) + field(2, field(1, "b") + varint_field(3, 6));

  const WatchResponse response =
      WatchResponse::read(field(1, varint_field(3, 6)) + field(11, put) + field(11, deletion));

  EXPECT_EQ(response.revision, 6u);
  ASSERT_EQ(response.changes.size(), 2u);
  EXPECT_EQ(response.changes[0], (KeyValue{.key = "a", .value = "v", .revision = 5}));
  EXPECT_EQ(response.changes[1], (KeyValue{.key = "b", .revision = 6, .is_deleted = true}));
  EXPECT_FALSE(response.is_created);
  EXPECT_FALSE(response.is_cancelled);
}

TEST(EtcdResponses, ReadTheEndOfAWatch) {
  const WatchResponse response =
      WatchResponse::read(varint_field(3, 1) + varint_field(4, 1) + varint_field(5, 8) + field(6, "why"));

  EXPECT_TRUE(response.is_created);
  EXPECT_TRUE(response.is_cancelled);
  EXPECT_EQ(response.compact_revision, 8u);
  EXPECT_EQ(response.cancel_reason, "why");
}

TEST(EtcdResponses, ReadALease) {
  const LeaseResponse response = LeaseResponse::read(varint_field(2, 7) + varint_field(3, 10));
  EXPECT_EQ(response.id, 7u);
  EXPECT_EQ(response.seconds_left, 10);

  const LeaseResponse negative = LeaseResponse::read("\x18\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01");
  EXPECT_EQ(negative.seconds_left, -1);
}

TEST(EtcdResponses, EndWhereTheyAreMalformed) {
  const std::string whole = field(2, field(1, "a") + varint_field(3, 5));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_LE(RangeResponse::read(std::string_view(whole).substr(0, size)).keys.size(), 0u) << size;
  }
}

}  // namespace
}  // namespace trunkline::naming::etcd
