// SPDX-License-Identifier: MIT
// google.rpc.Status, byte by byte.
#include "session/grpc/rpc_status.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::session::grpc {
namespace {

using namespace std::string_literals;

std::string written(const Status& status) {
  BufferWriter out;
  append_rpc_status(status, out);
  EXPECT_EQ(out.size(), rpc_status_bytes(status));
  return std::string(as_text(out.bytes()));
}

TEST(RpcStatus, IsWrittenAsProtobufWritesIt) {
  Status status(StatusCode::aborted, "stop");
  status.add_detail("t/a", "xyz").add_detail("t/b", "");

  EXPECT_EQ(written(status),
            "\x08\x0A"
            "\x12\x04stop"
            "\x1A\x0A\x0A\x03t/a\x12\x03xyz"
            "\x1A\x05\x0A\x03t/b"s);
}

TEST(RpcStatus, OfOkIsEmpty) { EXPECT_EQ(written({}), ""); }

TEST(RpcStatus, HasLengthsOfSeveralBytes) {
  Status status(StatusCode::unauthenticated, std::string(200, 'm'));
  status.add_detail("t", std::string(20000, '\xFF'));

  EXPECT_EQ(written(status), "\x08\x10\x12\xC8\x01"s + std::string(200, 'm') + "\x1A\xA7\x9C\x01" +
                                 "\x0A\x01t\x12\xA0\x9C\x01" + std::string(20000, '\xFF'));
}

TEST(RpcStatus, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(written(Status(StatusCode::aborted, "a\xFFz")), "\x08\x0A\x12\x03"s + "a?z");
}

}  // namespace
}  // namespace trunkline::session::grpc
