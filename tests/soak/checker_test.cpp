// SPDX-License-Identifier: MIT
// The checker finds each fault in records that are written by hand.
#include "checker.h"

#include <gtest/gtest.h>

namespace trunkline::soak {
namespace {

using Bytes = std::vector<std::uint8_t>;

Tally check_one(Kind kind, Outcome outcome, const std::vector<Bytes>& servers) {
  const Bytes client{entry_of(kind, outcome), 0};
  std::vector<std::span<const std::uint8_t>> spans(servers.begin(), servers.end());
  return check(client, spans).at(static_cast<std::size_t>(kind));
}

TEST(SoakChecker, AcceptsCallsThatEndAsTheyRan) {
  EXPECT_EQ(check_one(Kind::small, Outcome::ok, {{1}}).faults(), 0u);
  EXPECT_EQ(check_one(Kind::unary, Outcome::ok, {{0}, {1}}).faults(), 0u);
  EXPECT_EQ(check_one(Kind::unary, Outcome::failed, {{0}}).faults(), 0u);
  EXPECT_EQ(check_one(Kind::unary, Outcome::failed, {{1}}).faults(), 0u);
  EXPECT_EQ(check_one(Kind::unary, Outcome::not_run, {{0}}).faults(), 0u);
}

TEST(SoakChecker, FindsALostCall) {
  EXPECT_EQ(check_one(Kind::unary, Outcome::ok, {{0}, {0}}).lost, 1u);
  EXPECT_EQ(check_one(Kind::unary, Outcome::ok, {{}}).lost, 1u);
  EXPECT_EQ(check_one(Kind::idempotent, Outcome::ok, {{0}}).lost, 1u);
}

TEST(SoakChecker, AcceptsAOneWayCallThatWasLost) {
  EXPECT_EQ(check_one(Kind::one_way, Outcome::ok, {{0}}).faults(), 0u);
}

TEST(SoakChecker, FindsACallThatRanTwice) {
  EXPECT_EQ(check_one(Kind::unary, Outcome::ok, {{2}}).doubled, 1u);
  EXPECT_EQ(check_one(Kind::unary, Outcome::ok, {{1}, {1}}).doubled, 1u);
  EXPECT_EQ(check_one(Kind::unary, Outcome::failed, {{1}, {1}}).doubled, 1u);
  EXPECT_EQ(check_one(Kind::one_way, Outcome::ok, {{1}, {1}}).doubled, 1u);
}

TEST(SoakChecker, LetsIdempotentCallsRunTwice) {
  EXPECT_EQ(check_one(Kind::idempotent, Outcome::ok, {{1}, {2}}).faults(), 0u);
}

TEST(SoakChecker, FindsACallThatNeverEnded) {
  EXPECT_EQ(check_one(Kind::unary, Outcome::begun, {{1}}).hung, 1u);
  EXPECT_EQ(check_one(Kind::unary, Outcome::begun, {{0}}).hung, 1u);
}

TEST(SoakChecker, FindsACallThatEndedLate) { EXPECT_EQ(check_one(Kind::unary, Outcome::late, {{1}}).hung, 1u); }

TEST(SoakChecker, FindsACallThatRanAlthoughItIsReportedAsNotRun) {
  EXPECT_EQ(check_one(Kind::unary, Outcome::not_run, {{1}}).denied, 1u);
}

TEST(SoakChecker, FindsAWrongResponse) { EXPECT_EQ(check_one(Kind::unary, Outcome::wrong, {{1}}).wrong, 1u); }

TEST(SoakChecker, CountsByKindUpToTheFirstEmptyEntry) {
  const Bytes client{entry_of(Kind::small, Outcome::ok), entry_of(Kind::bidirectional, Outcome::failed),
                     entry_of(Kind::small, Outcome::ok), 0, entry_of(Kind::small, Outcome::ok)};
  const Bytes server{1, 0, 1};

  const Tallies tallies = check(client, {server});

  EXPECT_EQ(tallies.at(static_cast<std::size_t>(Kind::small)).calls, 2u);
  EXPECT_EQ(tallies.at(static_cast<std::size_t>(Kind::small)).ok, 2u);
  EXPECT_EQ(tallies.at(static_cast<std::size_t>(Kind::bidirectional)).failed, 1u);
}

}  // namespace
}  // namespace trunkline::soak
