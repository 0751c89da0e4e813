// SPDX-License-Identifier: MIT
// ProtocolTable: which protocol a connection uses, by ALPN and by its first bytes.
#include "session/protocol_table.h"

#include "http/http2/frame.h"
#include "session/native/native_protocol.h"
#include "wire/preface.h"

#include <gtest/gtest.h>

#include <string_view>

namespace trunkline::session {
namespace {

template <char letter>
ProtocolMatch match_letters(ByteSpan bytes) noexcept {
  const std::string_view text = as_text(bytes);
  if (text.find_first_not_of(letter) != std::string_view::npos) return ProtocolMatch::no;
  return text.size() < 2 ? ProtocolMatch::undecided : ProtocolMatch::yes;
}

ProtocolTable two_protocols() {
  ProtocolTable table;
  table.add({.name = "a", .alpn = "a/1", .match = &match_letters<'a'>, .make_session = nullptr});
  table.add({.name = "b", .alpn = {}, .match = &match_letters<'b'>, .make_session = nullptr});
  return table;
}

TEST(ProtocolTable, FindsRowsByTheirName) {
  const ProtocolTable table = two_protocols();

  ASSERT_NE(table.find("b"), nullptr);
  EXPECT_EQ(table.find("b")->name, "b");
  EXPECT_EQ(table.find("c"), nullptr);
}

TEST(ProtocolTable, DetectsByFirstBytes) {
  const ProtocolTable table = two_protocols();

  EXPECT_EQ(table.detect({}, as_bytes("aa")).protocol->name, "a");
  EXPECT_EQ(table.detect({}, as_bytes("bb")).protocol->name, "b");
}

TEST(ProtocolTable, WaitsForFurtherBytesWhileARowMayStillMatch) {
  const ProtocolTable table = two_protocols();

  for (const std::string_view start : {"", "a", "b"}) {
    const ProtocolTable::Detection detection = table.detect({}, as_bytes(start));
    EXPECT_EQ(detection.protocol, nullptr) << start;
    EXPECT_FALSE(detection.is_decided) << start;
  }
}

TEST(ProtocolTable, DecidesThatNoRowMatches) {
  const ProtocolTable::Detection detection = two_protocols().detect({}, as_bytes("c"));

  EXPECT_EQ(detection.protocol, nullptr);
  EXPECT_TRUE(detection.is_decided);
}

TEST(ProtocolTable, PrefersWhatTlsHasNegotiated) {
  const ProtocolTable table = two_protocols();

  EXPECT_EQ(table.detect("a/1", {}).protocol->name, "a");
  EXPECT_EQ(table.detect("unknown", as_bytes("bb")).protocol->name, "b");
}

TEST(ProtocolTable, NamesWhatTlsMayNegotiate) {
  EXPECT_EQ(two_protocols().alpn_names(), (std::vector<std::string>{"a/1"}));
  EXPECT_EQ(ProtocolTable::with_defaults().alpn_names(), (std::vector<std::string>{"trunkline/1", "h2", "http/1.1"}));
}

TEST(ProtocolTable, HasTheNativeProtocolByDefault) {
  const ProtocolTable table = ProtocolTable::with_defaults();
  const ByteSpan preface(wire::preface);

  for (std::size_t size = 0; size < preface.size(); ++size) {
    EXPECT_FALSE(table.detect({}, preface.first(size)).is_decided) << size;
  }
  EXPECT_EQ(table.detect({}, preface).protocol->name, "native");
  EXPECT_EQ(table.detect("trunkline/1", {}).protocol->name, "native");
}

TEST(ProtocolTable, HasGrpcByDefault) {
  const ProtocolTable table = ProtocolTable::with_defaults();
  const ByteSpan preface = as_bytes(http::http2::client_preface);

  for (std::size_t size = 0; size < preface.size(); ++size) {
    EXPECT_FALSE(table.detect({}, preface.first(size)).is_decided) << size;
  }
  EXPECT_EQ(table.detect({}, preface).protocol->name, "grpc");
  EXPECT_EQ(table.detect("h2", {}).protocol->name, "grpc");
}

TEST(ProtocolTable, HasHttp1ByDefault) {
  const ProtocolTable table = ProtocolTable::with_defaults();
  const ByteSpan start = as_bytes("GET /");

  for (std::size_t size = 0; size < 4; ++size) EXPECT_FALSE(table.detect({}, start.first(size)).is_decided) << size;
  EXPECT_EQ(table.detect({}, start).protocol->name, "http/1.1");
  EXPECT_EQ(table.detect("http/1.1", {}).protocol->name, "http/1.1");
}

}  // namespace
}  // namespace trunkline::session
