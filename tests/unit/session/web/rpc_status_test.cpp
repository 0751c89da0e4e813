// SPDX-License-Identifier: MIT
// google.rpc.Status, byte by byte.
#include "session/web/rpc_status.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::session::web {
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

Status with_details_of(StatusCode code, std::string_view bytes) {
  Status status(code, "m");
  add_details_of(as_bytes(bytes), status);
  return status;
}

TEST(RpcStatus, IsReadAsWritten) {
  Status sent(StatusCode::aborted, "stop");
  sent.add_detail("t/a", "xyz").add_detail("t/b", "").add_detail("", std::string(300, '\xFF'));
  Status received(StatusCode::aborted, "stop");

  EXPECT_TRUE(add_details_of(as_bytes(written(sent)), received));
  EXPECT_EQ(received, sent);
}

TEST(RpcStatus, IsReadWithFieldsThatAreUnknown) {
  const Status status = with_details_of(StatusCode::aborted,
                                        "\x08\x0A"
                                        "\x21\1\2\3\4\5\6\7\x08"
                                        "\x2D\1\2\3\4"
                                        "\x30\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"
                                        "\x1A\x07\x18\x05\x0A\x03t/a"s);

  ASSERT_EQ(status.details().size(), 1u);
  EXPECT_EQ(status.details()[0].type_url, "t/a");
}

TEST(RpcStatus, OfAnotherCodeIsNotRead) {
  EXPECT_TRUE(with_details_of(StatusCode::internal, "\x08\x0A\x1A\x05\x0A\x03t/a"s).details().empty());
  EXPECT_TRUE(with_details_of(StatusCode::internal, "\x1A\x05\x0A\x03t/a"s).details().empty());
}

TEST(RpcStatus, ThatIsMalformedIsNotRead) {
  for (const std::string& bytes :
       {"\x08"s, "\x08\x0A\x1A"s, "\x08\x0A\x1A\x05\x0A\x03t/"s, "\x08\x0A\x1A\x03\x0A\x03t"s, "\x08\x0A\x0B"s,
        "\x08\x0A\x1A\x02\x0A\x00\x09\1"s, "\x08\x0A\x80"s, std::string(11, '\xFF')}) {
    EXPECT_TRUE(with_details_of(StatusCode::aborted, bytes).details().empty());
    Status status(StatusCode::aborted, "m");
    EXPECT_FALSE(add_details_of(as_bytes(bytes), status));
  }
}

TEST(RpcStatus, ReplacesBytesOfAnUrlThatAreNotUtf8) {
  EXPECT_EQ(with_details_of(StatusCode::aborted, "\x08\x0A\x1A\x05\x0A\x03t\xFF/"s).details()[0].type_url, "t?/");
}

}  // namespace
}  // namespace trunkline::session::web
