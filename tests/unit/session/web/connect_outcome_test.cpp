// SPDX-License-Identifier: MIT
// Connect's JSON at a client: errors, ends of streams, and everything that is neither.
#include "session/web/connect_outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace trunkline::session::web {
namespace {

using testing::HasSubstr;

Status error_in(std::string_view json, StatusCode otherwise = StatusCode::unavailable) {
  Status status(StatusCode::data_loss, "no error was read");
  static_cast<void>(read_connect_error(as_bytes(json), otherwise, status));
  return status;
}

struct End {
  Status wrong;
  Status outcome;
  Metadata trailing;
};

End end_in(std::string_view json, std::size_t most_bytes = 16384) {
  End end;
  MetadataReader reader(most_bytes);
  end.wrong = read_end_of_stream(as_bytes(json), reader, end.outcome, end.trailing);
  return end;
}

TEST(ConnectError, IsReadWithItsDetails) {
  const Status status = error_in(R"({"code":"not_found","message":"caf\u00e9",)"
                                 R"("details":[{"type":"a.B","value":"AAE"},{"type":"c.D","value":"AA=="}]})");

  EXPECT_EQ(status.code(), StatusCode::not_found);
  EXPECT_EQ(status.message(), "caf\xC3\xA9");
  EXPECT_EQ(status.origin(), StatusOrigin::peer);
  ASSERT_EQ(status.details().size(), 2u);
  EXPECT_EQ(status.details()[0].type_url, "type.googleapis.com/a.B");
  EXPECT_EQ(status.details()[0].value, std::string("\0\1", 2));
  EXPECT_EQ(status.details()[1].value, std::string("\0", 1));
}

TEST(ConnectError, IsKeptWithHalfOfASurrogatePair) {
  const Status status = error_in(R"({"code":"not_found","message":"a\ud800b \ud83d\ude00 \udc00\\ud800"})");

  EXPECT_EQ(status.code(), StatusCode::not_found);
  EXPECT_EQ(status.message(),
            "a\xEF\xBF\xBD"
            "b \xF0\x9F\x98\x80 \xEF\xBF\xBD\\ud800");
  EXPECT_EQ(error_in(R"({"code":"not_found","message":"\ud80x"})").code(), StatusCode::data_loss);
}

TEST(ConnectError, HasTheCodeOfHttpIfItNamesNoneThatIsKnown) {
  EXPECT_EQ(error_in(R"({"message":"m"})").code(), StatusCode::unavailable);
  EXPECT_EQ(error_in(R"({"code":null})").code(), StatusCode::unavailable);
  EXPECT_EQ(error_in(R"({"code":"ok"})").code(), StatusCode::unavailable);
  EXPECT_EQ(error_in(R"({"code":"cancelled"})").code(), StatusCode::unavailable);
  EXPECT_EQ(error_in(R"({"code":"canceled"})").code(), StatusCode::cancelled);
}

TEST(ConnectError, SaysWhatItDoesAlsoWithDetailsThatAreMalformed) {
  const Status status =
      error_in(R"({"code":"aborted","details":[1,{},{"type":"a"},{"type":"a","value":"!"},{"type":1,"value":""}]})");

  EXPECT_EQ(status.code(), StatusCode::aborted);
  EXPECT_TRUE(status.details().empty());
}

TEST(ConnectError, IsNoneIfItIsOtherJson) {
  for (const char* json : {"", "x", "null", "[]", "\"a\"", "{", R"({"code":1})", R"({"message":1})",
                           R"({"details":{}})", R"({"code":"aborted"} x)"}) {
    EXPECT_EQ(error_in(json).code(), StatusCode::data_loss) << json;
  }
}

TEST(EndOfStream, IsReadWithItsMetadata) {
  const End end =
      end_in(R"({"metadata":{"A":["1","2"],"b-bin":["Zg,Zw=="]},"error":{"code":"aborted","message":"why"}})");

  EXPECT_TRUE(end.wrong.is_ok()) << end.wrong.to_string();
  EXPECT_EQ(end.outcome.code(), StatusCode::aborted);
  EXPECT_EQ(end.outcome.message(), "why");
  EXPECT_EQ(end.trailing, (Metadata{{"a", "1"}, {"a", "2"}, {"b-bin", "f"}, {"b-bin", "g"}}));
}

TEST(EndOfStream, IsOkWithoutAnError) {
  for (const char* json : {"{}", R"({"error":null})", R"({"metadata":null})", R"({"other":[1]})"}) {
    const End end = end_in(json);

    EXPECT_TRUE(end.wrong.is_ok()) << json;
    EXPECT_TRUE(end.outcome.is_ok()) << json;
  }
}

TEST(EndOfStream, SaysUnknownForACodeThatIsNotKnown) {
  EXPECT_EQ(end_in(R"({"error":{"code":"strange"}})").outcome.code(), StatusCode::unknown);
  EXPECT_EQ(end_in(R"({"error":{}})").outcome.code(), StatusCode::unknown);
}

TEST(EndOfStream, IsRefusedIfItIsOtherJson) {
  for (const char* json : {"", "{", "[]", "null", R"({"error":1})", R"({"error":{"code":1}})", R"({"metadata":[]})",
                           R"({"metadata":{"a":"1"}})", R"({"metadata":{"a":[1]}})", R"({"metadata":{"a b":["1"]}})",
                           R"({"metadata":{"a-bin":["!"]}})"}) {
    EXPECT_EQ(end_in(json).wrong.code(), StatusCode::internal) << json;
  }
}

TEST(EndOfStream, HasAsMuchMetadataAsTheLimitAllows) {
  const std::string json = R"({"metadata":{"a":["1","2"]}})";

  EXPECT_TRUE(end_in(json, 2 * (1 + 1 + 32)).wrong.is_ok());
  const Status status = end_in(json, 2 * (1 + 1 + 32) - 1).wrong;
  EXPECT_EQ(status.code(), StatusCode::resource_exhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("exceeds the limit"));
}

}  // namespace
}  // namespace trunkline::session::web
