// SPDX-License-Identifier: MIT
// When a peer is given credit back.
#include "session/native/receive_credit.h"

#include "native_parts.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

SessionOptions small_windows() {
  SessionOptions options = kit::plain_options();
  options.limits.connection_credit_bytes = 1 << 20;
  options.limits.call_credit_bytes = 1 << 16;
  return options;
}

TEST(ReceiveCredit, OfTheConnectionIsGrantedHalfAWindowAtATime) {
  NativeParts parts(Role::server, small_windows());
  parts.credit.charge(500000);

  parts.credit.return_connection((1 << 19) - 1);
  const std::size_t early = parts.take_output().size();
  parts.credit.return_connection(1);

  const auto frames = parts.take_output();
  EXPECT_EQ(early, 0u);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(frames[0].is(wire::FrameType::credit));
  EXPECT_EQ(frames[0].header.call, 0u);
  EXPECT_EQ(frames[0].header.number, 1u << 19);
  EXPECT_EQ(parts.credit.left(), (1 << 20) - 500000 + (1 << 19));
}

TEST(ReceiveCredit, OfTheConnectionIsGrantedEarlierWhileMostOfItIsUnread) {
  NativeParts parts(Role::server, small_windows());
  parts.credit.charge((1 << 20) - 20000);

  parts.credit.return_connection(20000);
  const std::size_t early = parts.take_output().size();
  parts.credit.return_connection(1);

  EXPECT_EQ(early, 0u);
  EXPECT_EQ(parts.take_output().size(), 1u);
  EXPECT_EQ(parts.credit.left(), 40001);
}

TEST(ReceiveCredit, OfMessagesThatWaitIsWithheldBeyondHalfAWindow) {
  NativeParts parts(Role::server, small_windows());
  parts.credit.charge(700000);

  parts.credit.add_waiting({1 << 19});
  const auto first_half = parts.take_output();
  parts.credit.add_waiting({175712});
  const std::size_t withheld = parts.take_output().size();
  parts.credit.drop_waiting({700000});

  ASSERT_EQ(first_half.size(), 1u);
  EXPECT_EQ(first_half[0].header.number, 1u << 19);
  EXPECT_EQ(withheld, 0u);
  EXPECT_EQ(parts.credit.held(), 0u);
  EXPECT_EQ(parts.credit.left(), (1 << 20) - 700000 + (1 << 19));
  parts.credit.return_connection((1 << 19) - 175712);
  EXPECT_EQ(parts.take_output().size(), 1u) << "what was withheld is returned with what follows";
}

TEST(ReceiveCredit, OfACallIsGrantedHalfAWindowAtATime) {
  NativeParts parts(Role::server, small_windows());
  CallState& call = *parts.calls.open(9, nullptr);
  call.receive_credit = 0;

  parts.credit.return_call(call, (1 << 15) - 1);
  const std::size_t early = parts.take_output().size();
  parts.credit.return_call(call, 1);

  const auto frames = parts.take_output();
  EXPECT_EQ(early, 0u);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].header.call, 9u);
  EXPECT_EQ(frames[0].header.number, 1u << 15);
  EXPECT_EQ(call.receive_credit, 1 << 15);
  EXPECT_EQ(call.returnable_credit, 0);
}

TEST(ReceiveCredit, OfACallWhosePeerHasEndedIsNotGranted) {
  NativeParts parts(Role::server, small_windows());
  CallState& call = *parts.calls.open(9, nullptr);
  call.phase = CallPhase::peer_ended;

  parts.credit.return_call(call, 1 << 16);

  EXPECT_TRUE(parts.take_output().empty());
}

TEST(ReceiveCredit, IsNotGrantedOnceThePathIsClosed) {
  NativeParts parts(Role::server, small_windows());
  CallState& call = *parts.calls.open(9, nullptr);
  parts.path.close();

  parts.credit.return_connection(1 << 20);
  parts.credit.return_call(call, 1 << 16);

  EXPECT_TRUE(parts.take_output().empty());
}

}  // namespace
}  // namespace trunkline::session::native
