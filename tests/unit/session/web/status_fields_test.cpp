// SPDX-License-Identifier: MIT
// Statuses as header fields.
#include "session/web/status_fields.h"

#include "codec/base64.h"
#include "session/web/rpc_status.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace trunkline::session::web {
namespace {

constexpr std::size_t roomy = 16384;

TEST(StatusFields, HaveANumberForEachCode) {
  for (unsigned i = 0; i <= 16; ++i) {
    const auto code = static_cast<StatusCode>(i);
    EXPECT_EQ(code_text(code), std::to_string(i));
  }
}

TEST(StatusFields, OfOkAreItsNumber) {
  StatusFields fields;
  fields.assign(Status(StatusCode::aborted, "before"), roomy);

  fields.assign({}, roomy);

  EXPECT_EQ(fields.code(), "0");
  EXPECT_EQ(fields.message(), "");
  EXPECT_EQ(fields.details(), "");
}

TEST(StatusFields, KeepMessageAndDetails) {
  Status status(StatusCode::aborted, "100% \xE2\x98\xBA\n");
  status.add_detail("type", std::string("\0\xFF", 2));
  StatusFields fields;

  fields.assign(status, roomy);

  EXPECT_EQ(fields.code(), "10");
  EXPECT_EQ(fields.message(), "100%25 %E2%98%BA%0A");
  BufferWriter details, expected;
  EXPECT_TRUE(codec::append_decoded_base64(fields.details(), details));
  EXPECT_EQ(fields.details().find('='), std::string_view::npos);
  append_rpc_status(status, expected);
  EXPECT_EQ(as_text(details.bytes()), as_text(expected.bytes()));
}

TEST(StatusFields, LeaveOutDetailsAndCutTheMessageInLittleRoom) {
  Status status(StatusCode::aborted, "ab\xE2\x98\xBA");
  status.add_detail("type", "value");
  const std::size_t code_cost = 11 + 2 + 32;
  const std::size_t message_cost = 12 + 32;
  StatusFields fields;

  fields.assign(status, code_cost + message_cost + 11 + 300);
  EXPECT_EQ(fields.message(), "ab%E2%98%BA");
  EXPECT_NE(fields.details(), "");
  const std::size_t details_cost = 23 + 32 + fields.details().size();
  fields.assign(status, code_cost + message_cost + 11 + details_cost);
  EXPECT_NE(fields.details(), "");
  fields.assign(status, code_cost + message_cost + 11 + details_cost - 1);
  EXPECT_EQ(fields.message(), "ab%E2%98%BA");
  EXPECT_EQ(fields.details(), "");
  fields.assign(status, code_cost + message_cost + 10);
  EXPECT_EQ(fields.message(), "ab");
  fields.assign(status, code_cost + message_cost);
  EXPECT_EQ(fields.message(), "");
  fields.assign(status, 0);
  EXPECT_EQ(fields.code(), "10");
  EXPECT_EQ(fields.message(), "");
}

TEST(StatusFields, LimitTheMessageAndSayThatDetailsAreLeftOut) {
  Status status(StatusCode::aborted, std::string(3000, 'm'));
  status.add_detail("type", std::string(6000, 'v'));
  StatusFields fields;

  fields.assign(status, 8000);

  EXPECT_EQ(fields.details(), "");
  EXPECT_EQ(fields.message(), std::string(3000, 'm') + " (details of " + std::to_string(rpc_status_bytes(status)) +
                                  " bytes are left out: the peer takes no headers as long)");
  fields.assign(Status(StatusCode::aborted, std::string(5000, '%')), 100000);
  EXPECT_LE(fields.message().size(), StatusFields::max_message_bytes);
  EXPECT_GT(fields.message().size(), StatusFields::max_message_bytes - 3);
  status = Status(StatusCode::aborted, std::string(5000, 'm'));
  status.add_detail("type", std::string(60000, 'v'));
  fields.assign(status, 100000);
  EXPECT_EQ(fields.message(), std::string(StatusFields::max_message_bytes, 'm'));
  EXPECT_NE(fields.details(), "");
}

TEST(StatusFields, StayBelowTheLimitAtWhichGrpcsCoreBeginsToDrop) {
  EXPECT_EQ(certain_list_bytes(1000), 1000u);
  EXPECT_EQ(certain_list_bytes(8192), 8192u);
  EXPECT_EQ(certain_list_bytes(16384), 8192u);
  EXPECT_EQ(certain_list_bytes(65535), 52428u);
}

/// HTTP/2 takes no field whose value begins or ends with a blank.
TEST(StatusFields, EncodeASpaceAtEitherEndOfTheMessage) {
  constexpr std::size_t cost_without_message = 11 + 32 + 2 + 12 + 32;
  StatusFields fields;

  for (const auto& [text, encoded] : std::vector<std::pair<std::string, std::string>>{
           {" a b ", "%20a b%20"}, {" ", "%20"}, {"  ", "%20%20"}, {"   ", "%20 %20"}, {"a: ", "a:%20"}}) {
    const Status status(StatusCode::aborted, text);
    fields.assign(status, roomy);
    EXPECT_EQ(fields.message(), encoded);
    fields.assign(status, cost_without_message + encoded.size());
    EXPECT_EQ(fields.message(), encoded);
    for (std::size_t room = 0; room < encoded.size(); ++room) {
      fields.assign(status, cost_without_message + room);
      EXPECT_LE(fields.message().size(), room) << encoded;
      EXPECT_FALSE(fields.message().ends_with(' ')) << encoded;
      EXPECT_FALSE(fields.message().starts_with(' ')) << encoded;
    }
  }
  fields.assign(Status(StatusCode::aborted, "ab cd"), cost_without_message + 3);
  EXPECT_EQ(fields.message(), "ab");
}

}  // namespace
}  // namespace trunkline::session::web
