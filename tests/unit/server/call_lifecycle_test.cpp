// SPDX-License-Identifier: MIT
// The table of a call's life: every pair of stage and event.
#include "server/call_lifecycle.h"

#include <gtest/gtest.h>

#include <set>

namespace trunkline::server {

namespace {

using A = LifecycleAction;
using E = CallEvent;
using S = CallStage;

/// The rules of the table, in another form than the table's.
CallTransition expected(S stage, E event) {
  const bool waits = stage == S::awaiting_request || stage == S::awaiting_order || stage == S::refused;
  const bool is_notified = stage == S::cancelling || stage == S::ended_in_cancel;
  const bool is_told = stage == S::cancelling || stage == S::cancelled;
  const CallTransition error{A::log_error, stage};
  const CallTransition nothing{A::none, stage};
  /// What the end of a cancelled handler leads to.
  const CallTransition after_cancel =
      stage == S::cancelled ? CallTransition{A::retire, S::ended} : CallTransition{A::none, S::ended_in_cancel};
  if (stage == S::over) return error;
  switch (event) {
    case E::message:
      if (!is_open(stage)) return error;
      return stage == S::awaiting_request ? CallTransition{A::decode, stage} : nothing;
    case E::ready:
      return stage == S::awaiting_request ? CallTransition{A::advance_order, S::awaiting_order} : error;
    case E::refuse:
      if (stage == S::running) return {A::send_refusal, S::responding};
      if (is_told) return after_cancel;
      if (stage == S::refused || !waits) return error;
      return {A::advance_order, S::refused};
    case E::due:
      if (stage == S::awaiting_order) return {A::start, S::running};
      if (stage == S::refused) return {A::send_refusal, S::responding};
      return nothing;
    case E::completed:
    case E::dropped:
      if (stage == S::running) return {A::send_response, S::responding};
      return is_told ? after_cancel : error;
    case E::cancelled:
      if (waits) return {A::discard, S::ended};
      if (stage == S::responding) return {A::count_cancelled, S::ended};
      return stage == S::running ? CallTransition{A::cancel, S::cancelling} : error;
    case E::aborted:
      if (waits) return {A::advance_order, S::refused};
      if (stage == S::responding) return {A::send_status, S::ended};
      return stage == S::running ? CallTransition{A::send_status_and_cancel, S::cancelling} : error;
    case E::detached:
      if (waits) return {A::discard, S::ended};
      if (stage == S::responding) return {A::count_cancelled, S::ended};
      return stage == S::running ? CallTransition{A::count_cancelled, S::cancelled} : nothing;
    case E::stopped:
      if (waits) return {A::discard, S::ended};
      if (stage == S::responding) return {A::count_cancelled, S::ended};
      if (stage == S::running) return {A::cancel, S::cancelling};
      return stage == S::cancelled ? CallTransition{A::cancel_again, S::cancelling} : nothing;
    case E::cancel_delivered:
      if (!is_notified) return error;
      return stage == S::cancelling ? CallTransition{A::none, S::cancelled} : CallTransition{A::retire, S::ended};
  }
  return error;
}

TEST(CallLifecycle, HasAnEntryForEveryPairOfStageAndEvent) {
  for (int s = 0; s < call_stages; ++s) {
    for (int e = 0; e < call_events; ++e) {
      const auto stage = static_cast<S>(s);
      const auto event = static_cast<E>(e);

      const CallTransition entry = transition(stage, event);

      EXPECT_EQ(entry.action, expected(stage, event).action) << to_string(stage) << ", " << to_string(event);
      EXPECT_EQ(entry.next, expected(stage, event).next) << to_string(stage) << ", " << to_string(event);
    }
  }
}

TEST(CallLifecycle, EndsEveryCallThatTheServerAbandons) {
  for (int s = 0; s < call_stages; ++s) {
    S stage = transition(static_cast<S>(s), E::detached).next;

    stage = transition(stage, E::stopped).next;
    if (stage == S::cancelling) stage = transition(stage, E::cancel_delivered).next;

    EXPECT_TRUE(stage == S::ended || stage == S::over || stage == S::cancelled || stage == S::ended_in_cancel)
        << to_string(stage);
  }
}

TEST(CallLifecycle, CallsTheCallsOpenThatTheSessionKnows) {
  for (const S stage : {S::awaiting_request, S::awaiting_order, S::refused, S::running, S::responding}) {
    EXPECT_TRUE(is_open(stage));
  }
  for (const S stage : {S::cancelling, S::cancelled, S::ended_in_cancel, S::ended, S::over}) {
    EXPECT_FALSE(is_open(stage));
  }
}

TEST(CallLifecycle, NamesStagesAndEventsApart) {
  std::set<std::string_view> names;
  for (int s = 0; s < call_stages; ++s) names.insert(to_string(static_cast<S>(s)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(call_stages));

  names.clear();
  for (int e = 0; e < call_events; ++e) names.insert(to_string(static_cast<E>(e)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(call_events));
}

}  // namespace

}  // namespace trunkline::server
