// SPDX-License-Identifier: MIT
// CloseCode: which codes a frame may have, and the payload of close frames.
#include "http/websocket/close_code.h"

#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::http::websocket {
namespace {

CloseReason read(const std::string& payload) { return read_close(as_bytes(payload)); }

std::string payload_of(unsigned code, const std::string& text = {}) {
  return std::string{static_cast<char>(code >> 8), static_cast<char>(code)} + text;
}

TEST(WebSocketCloseCode, AllowsRegisteredCodesAndThoseOfApplications) {
  for (const unsigned code :
       {1000U, 1001U, 1002U, 1003U, 1007U, 1008U, 1009U, 1010U, 1011U, 1012U, 1014U, 3000U, 3999U, 4000U, 4999U}) {
    EXPECT_EQ(read(payload_of(code)).error, CloseCode::normal) << code;
    EXPECT_EQ(read(payload_of(code)).code, static_cast<CloseCode>(code));
  }
}

TEST(WebSocketCloseCode, RefusesCodesThatNoFrameMayHave) {
  for (const unsigned code : {0U, 999U, 1004U, 1005U, 1006U, 1015U, 1016U, 1100U, 2000U, 2999U, 5000U, 65535U}) {
    EXPECT_EQ(read(payload_of(code)).error, CloseCode::protocol_error) << code;
  }
}

TEST(WebSocketCloseCode, TakesAFrameWithoutACode) {
  EXPECT_EQ(read("").code, CloseCode::no_code);
  EXPECT_EQ(read("").error, CloseCode::normal);
}

TEST(WebSocketCloseCode, RefusesHalfACode) { EXPECT_EQ(read("\x03").error, CloseCode::protocol_error); }

TEST(WebSocketCloseCode, NeedsUtf8) {
  EXPECT_EQ(read(payload_of(1000, "gr\xC3\xBC\xC3\x9F")).text, "gr\xC3\xBC\xC3\x9F");
  for (const std::string text : {"\xC3", "\xFF", "\xED\xA0\x80", "\xC0\x80", "\xF4\x90\x80\x80"}) {
    EXPECT_EQ(read(payload_of(1000, text)).error, CloseCode::invalid_payload) << text;
  }
}

TEST(WebSocketCloseCode, WritesWhatItReads) {
  const std::string payload = close_payload(CloseCode::going_away, "bye");

  EXPECT_EQ(payload, payload_of(1001, "bye"));
  EXPECT_EQ(read(payload).text, "bye");
  EXPECT_EQ(close_payload(CloseCode::no_code, "bye"), "");
}

TEST(WebSocketCloseCode, ShortensAReasonBetweenCharacters) {
  std::string text = "x";
  while (text.size() < 200) text += "\xE2\x82\xAC";

  const std::string payload = close_payload(CloseCode::normal, text);

  EXPECT_EQ(payload.size(), 2U + 121U);
  EXPECT_TRUE(base::is_utf8(payload.substr(2)));
}

}  // namespace
}  // namespace trunkline::http::websocket
