// SPDX-License-Identifier: MIT
// The table of a shutdown: every pair of stage and event; and what is reported when.
#include "server/server_drain.h"

#include <gtest/gtest.h>

#include <vector>

namespace trunkline::server {

namespace {

using A = DrainAction;
using E = DrainEvent;
using S = DrainStage;

/// The rules of the table, in another form than the table's.
DrainTransition expected(S stage, E event) {
  const bool has_begun = stage == S::draining || stage == S::drained;
  switch (event) {
    case E::subscribe:
      if (has_begun) return {A::call_callback, stage};
      return {stage == S::not_begun ? A::keep_callback : A::none, stage};
    case E::shutdown:
      if (stage == S::not_begun) return {A::begin, S::draining};
      return {stage == S::draining ? A::wait : A::report, stage};
    case E::last_loop_drained:
      if (stage == S::draining) return {A::finish, S::drained};
      return {stage == S::drained ? A::none : A::reject, stage};
    case E::stop:
      if (stage == S::not_begun) return {A::none, S::stopped};
      return stage == S::draining ? DrainTransition{A::abort, S::drained} : DrainTransition{A::none, stage};
  }
  return {A::reject, stage};
}

TEST(ServerDrain, HasAnEntryForEveryPairOfStageAndEvent) {
  for (int s = 0; s < drain_stages; ++s) {
    for (int e = 0; e < drain_events; ++e) {
      const auto stage = static_cast<S>(s);
      const auto event = static_cast<E>(e);

      const DrainTransition entry = transition(stage, event);

      EXPECT_EQ(entry.action, expected(stage, event).action) << "stage " << s << ", event " << e;
      EXPECT_EQ(entry.next, expected(stage, event).next) << "stage " << s << ", event " << e;
    }
  }
}

class Reports {
 public:
  ServerDrain::Done done() {
    return [this](const Status& status) { codes.push_back(status.code()); };
  }
  std::vector<StatusCode> codes;
};

TEST(ServerDrain, ReportsToAllWhenTheLastLoopHasDrained) {
  ServerDrain drain;
  Reports reports;

  const DrainAction first = drain.shutdown(2, reports.done());
  const DrainAction second = drain.shutdown(2, reports.done());
  drain.loop_drained(0);
  const std::size_t early = reports.codes.size();
  drain.loop_drained(0);
  drain.shutdown(2, reports.done());

  EXPECT_EQ(first, DrainAction::begin);
  EXPECT_EQ(second, DrainAction::wait);
  EXPECT_EQ(early, 0u);
  EXPECT_EQ(reports.codes, (std::vector<StatusCode>{StatusCode::ok, StatusCode::ok, StatusCode::ok}));
}

TEST(ServerDrain, SumsTheCallsThatWereCutOff) {
  ServerDrain drain;
  Status reported;
  drain.shutdown(2, [&](Status status) { reported = std::move(status); });

  drain.loop_drained(2);
  drain.loop_drained(1);

  EXPECT_EQ(reported.code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(reported.message(), "server shutdown: its timeout has passed, calls cut off: 3");
}

TEST(ServerDrain, IsAbortedByStop) {
  ServerDrain drain;
  Reports reports;
  drain.shutdown(1, reports.done());

  drain.stop();
  drain.loop_drained(0);
  drain.shutdown(1, reports.done());

  EXPECT_EQ(reports.codes, (std::vector<StatusCode>{StatusCode::aborted, StatusCode::aborted}));
}

TEST(ServerDrain, HasNothingToDoAfterStop) {
  ServerDrain drain;
  Reports reports;

  drain.stop();
  const DrainAction action = drain.shutdown(1, reports.done());

  EXPECT_EQ(action, DrainAction::report);
  EXPECT_EQ(reports.codes, std::vector<StatusCode>{StatusCode::ok});
}

TEST(ServerDrain, CallsCallbacksOnceWhenItBegins) {
  ServerDrain drain;
  int early = 0;
  int late = 0;
  drain.on_shutdown([&] { ++early; });
  EXPECT_EQ(early, 0);

  drain.shutdown(1, nullptr);
  drain.shutdown(1, nullptr);
  drain.on_shutdown([&] { ++late; });
  drain.loop_drained(0);

  EXPECT_EQ(early, 1);
  EXPECT_EQ(late, 1);
}

}  // namespace

}  // namespace trunkline::server
