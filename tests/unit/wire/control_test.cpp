// SPDX-License-Identifier: MIT
// The frames without messages.
#include "wire/control.h"

#include "wire/text.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::wire {
namespace {

FrameHeader accepted_header(const BufferWriter& out, Sender from) {
  const FrameHeader header = read_header(out.bytes().data());
  Status why;
  EXPECT_EQ(check_header(header, from, why), FrameVerdict::accept) << why.to_string();
  EXPECT_EQ(header.length, out.size() - header_bytes);
  return header;
}

TEST(ControlFrames, CancelCarriesCallAndCode) {
  BufferWriter out;

  append_header(cancel_frame(7, StatusCode::deadline_exceeded), out);

  EXPECT_EQ(accepted_header(out, Sender::client), (FrameHeader{.type = FrameType::cancel, .call = 7, .number = 4}));
}

TEST(ControlFrames, CreditCarriesCallAndBytes) {
  BufferWriter out;

  append_header(credit_frame(7, max_credit_bytes), out);

  EXPECT_EQ(accepted_header(out, Sender::server),
            (FrameHeader{.type = FrameType::credit, .call = 7, .number = max_credit_bytes}));
}

TEST(ControlFrames, PongEchoesPing) {
  const PingValue value{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4},
                        std::byte{5}, std::byte{6}, std::byte{7}, std::byte{0xFF}};
  BufferWriter ping;
  BufferWriter pong;

  append_header(ping_header(), ping);
  ping.append(ByteSpan(value));
  append_header(pong_header(), pong);
  pong.append(ByteSpan(read_ping(ping.bytes().subspan(header_bytes))));

  EXPECT_EQ(accepted_header(ping, Sender::client).type, FrameType::ping);
  EXPECT_EQ(accepted_header(pong, Sender::server).type, FrameType::pong);
  EXPECT_EQ(read_ping(pong.bytes().subspan(header_bytes)), value);
}

TEST(ControlFrames, GoawayCarriesItsReason) {
  BufferWriter out;

  write_goaway(9, StatusCode::internal, "größer", out);

  std::string_view reason;
  EXPECT_EQ(accepted_header(out, Sender::server).number, 13U);
  EXPECT_TRUE(read_goaway(out.bytes().subspan(header_bytes), reason).is_ok());
  EXPECT_EQ(reason, "größer");
}

TEST(ControlFrames, GoawayCutsItsReasonBetweenCharacters) {
  BufferWriter out;

  write_goaway(0, StatusCode::ok, std::string(1023, 'a') + "ü", out);

  EXPECT_EQ(accepted_header(out, Sender::server).length, 1023U);
}

TEST(ControlFrames, GoawayNeverSendsWhatIsNotUtf8) {
  BufferWriter out;

  write_goaway(0, StatusCode::ok, std::string(2000, '\x80'), out);

  EXPECT_EQ(as_text(out.bytes().subspan(header_bytes)), std::string(1024, '?'));
}

TEST(ControlFrames, GoawayReasonThatIsNotUtf8IsRefused) {
  std::string_view reason;

  const Status status = read_goaway(as_bytes("\xFF"), reason);

  EXPECT_EQ(status, Status(StatusCode::internal, "decode frame: goaway reason is not utf-8"));
}

TEST(ControlFrames, AreAppendedOneAfterTheOther) {
  BufferWriter out;

  append_header(credit_frame(1, 2), out);
  write_goaway(0, StatusCode::ok, "", out);
  append_header(cancel_frame(3, StatusCode::cancelled), out);

  EXPECT_EQ(out.size(), 3 * header_bytes);
  EXPECT_EQ(read_header(out.bytes().data() + 2 * header_bytes).call, 3U);
}

}  // namespace
}  // namespace trunkline::wire
