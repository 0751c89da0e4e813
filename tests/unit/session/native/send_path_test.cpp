// SPDX-License-Identifier: MIT
// What may be written, what waits, and when too much has gathered.
#include "session/native/send_path.h"

#include "native_parts.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

SessionOptions small_limits() {
  SessionOptions options = kit::plain_options();
  options.limits.max_unsent_bytes = 10000;
  options.limits.chunk_bytes = 2000;
  return options;
}

void fill_output(NativeParts& parts, std::size_t size) {
  parts.path.output().append(Slice::copy_of(std::string(size, 'x')));
}

TEST(SendPath, WritesWithinTheCreditOfConnectionAndCall) {
  NativeParts parts;
  const std::int64_t left = parts.path.queue().credit();

  EXPECT_TRUE(parts.path.may_write(100, 100, 100));
  EXPECT_FALSE(parts.path.may_write(100, 100, 99));
  parts.path.charge(static_cast<std::size_t>(left) - 16 - 50);
  EXPECT_TRUE(parts.path.may_write(34, 34, 100));
  EXPECT_FALSE(parts.path.may_write(35, 35, 100));
}

TEST(SendPath, WritesNothingLongerThanAChunk) {
  NativeParts parts(Role::server, small_limits());

  EXPECT_TRUE(parts.path.may_write(2000, 2000, 100000));
  EXPECT_FALSE(parts.path.may_write(2001, 2001, 100000));
}

TEST(SendPath, PumpsOnlyWhileLittleIsUnsent) {
  NativeParts parts(Role::server, small_limits());
  CallState& call = *parts.calls.open(1, nullptr);
  parts.queue(call, 9000);

  parts.path.pump();
  const std::size_t first = parts.take_output().size();
  parts.path.pump();
  parts.path.pump();
  const std::size_t second = parts.take_output().size();

  EXPECT_EQ(first, 2u);
  EXPECT_EQ(second, 2u);
  EXPECT_EQ(parts.path.unsent_bytes(), 1000u);
}

TEST(SendPath, HasNoOutputWhileEverythingWaitsForCredit) {
  NativeParts parts;
  CallState& call = *parts.calls.open(1, nullptr);
  call.send_credit = 0;
  parts.queue(call, 100);
  const bool before = parts.path.has_output();

  parts.path.pump();
  const bool blocked = parts.path.has_output();
  parts.path.add_credit(call, 100);

  EXPECT_TRUE(before);
  EXPECT_FALSE(blocked);
  EXPECT_TRUE(parts.path.has_output());
}

TEST(SendPath, IsStalledUntilHalfOfTheOutputIsTaken) {
  NativeParts parts(Role::server, small_limits());
  fill_output(parts, 10000);
  const bool at_limit = parts.path.update_stall();
  fill_output(parts, 1);

  EXPECT_FALSE(at_limit);
  EXPECT_TRUE(parts.path.update_stall());
  parts.path.output().consume(5000);
  EXPECT_TRUE(parts.path.update_stall());
  parts.path.output().consume(1);
  EXPECT_FALSE(parts.path.update_stall());
}

TEST(SendPath, IsCongestedByFramesWithoutCreditOnlyWhenTheyAreMany) {
  NativeParts parts(Role::server, small_limits());
  CallState& call = *parts.calls.open(1, nullptr);
  call.send_credit = 0;

  parts.queue(call, 100000);
  const bool by_one = parts.path.is_congested();
  parts.queue(call, 100000);

  EXPECT_FALSE(by_one);
  EXPECT_TRUE(parts.path.is_congested());
  EXPECT_FALSE(parts.path.is_socket_full());
}

TEST(SendPath, PumpsNothingOnceClosed) {
  NativeParts parts;
  CallState& call = *parts.calls.open(1, nullptr);
  parts.queue(call, 100);

  parts.path.close();
  parts.path.pump();

  EXPECT_TRUE(parts.path.output().empty());
}

TEST(SendPath, FinishCarriesTheStatusInItsHeaderBlock) {
  NativeParts parts;

  parts.path.write_finish(3, Status(StatusCode::aborted, "stop"), true, {});

  const auto frames = parts.take_output();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].header.call, 3u);
  EXPECT_EQ(frames[0].header.number, static_cast<std::uint32_t>(StatusCode::aborted));
  EXPECT_TRUE(frames[0].header.has(wire::flag::unprocessed));
  EXPECT_EQ(frames[0].status_message, "stop");
}

}  // namespace
}  // namespace trunkline::session::native
