// SPDX-License-Identifier: MIT
// ClosingEvents: in which order a session reports its end, and with which status.
#include "session/closing_events.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <vector>

namespace trunkline::session {
namespace {

struct OpenCall {
  CallId id = 0;
};

/// Calls by age, whose ids may have passed 2^32.
struct FewCalls {
  bool empty() const { return order.empty(); }
  OpenCall* find(CallId id) const {
    const auto found = calls.find(id);
    return found == calls.end() ? nullptr : const_cast<OpenCall*>(&found->second);
  }
  std::vector<OpenCall*> by_age() const {
    std::vector<OpenCall*> list;
    for (const CallId id : order) list.push_back(find(id));
    return list;
  }
  void add(CallId id) {
    calls[id] = {id};
    order.push_back(id);
  }
  void forget(CallId id) {
    calls.erase(id);
    std::erase(order, id);
  }

  std::map<CallId, OpenCall> calls;
  std::deque<CallId> order;
};

TEST(ClosingEvents, ReportsTheOldestCallFirst) {
  FewCalls calls;
  for (const CallId id : {CallId{0xFFFFFFFE}, CallId{0xFFFFFFFF}, CallId{1}, CallId{2}}) calls.add(id);
  ClosingEvents closing;

  std::vector<CallId> seen;
  while (const OpenCall* const call = closing.next_call(calls)) {
    const CallId id = call->id;
    seen.push_back(id);
    calls.forget(id);
  }

  EXPECT_EQ(seen, (std::vector<CallId>{0xFFFFFFFE, 0xFFFFFFFF, 1, 2}));
}

TEST(ClosingEvents, PassesOverCallsThatEndMeanwhile) {
  FewCalls calls;
  for (const CallId id : {1u, 3u, 5u, 7u}) calls.add(id);
  ClosingEvents closing;

  ASSERT_EQ(closing.next_call(calls)->id, 1u);
  calls.forget(1);
  // The layer above cancels two others while it has the event in hand.
  calls.forget(3);
  calls.forget(7);
  ASSERT_EQ(closing.next_call(calls)->id, 5u);
  calls.forget(5);

  EXPECT_EQ(closing.next_call(calls), nullptr);
}

TEST(ClosingEvents, ReportsTheSessionOnce) {
  ClosingEvents closing;
  closing.begin({StatusCode::unavailable, "the cable is cut", StatusOrigin::transport});
  EXPECT_FALSE(closing.is_last_given());

  Event event;
  event.id = 7;
  int context = 0;
  event.context = &context;
  ASSERT_TRUE(closing.take_last(event));
  EXPECT_EQ(event.type, EventType::closed);
  EXPECT_EQ(event.id, 0u);
  EXPECT_EQ(event.context, nullptr);
  EXPECT_EQ(event.status.message(), "the cable is cut");
  EXPECT_TRUE(closing.is_last_given());
  EXPECT_FALSE(closing.take_last(event));
}

TEST(ClosingEvents, CallsEndAsTheSessionDoes) {
  ClosingEvents closing;
  closing.begin({StatusCode::resource_exhausted, "no memory"});
  EXPECT_EQ(closing.status_of_calls().code(), StatusCode::resource_exhausted);
  EXPECT_EQ(closing.status_of_calls().message(), "no memory");
}

/// A call that is still open at an orderly end has not ended in order.
TEST(ClosingEvents, CallsFailAtAnOrderlyEnd) {
  ClosingEvents closing;
  closing.begin({});
  EXPECT_TRUE(closing.reason().is_ok());
  EXPECT_EQ(closing.status_of_calls().code(), StatusCode::unavailable);
  EXPECT_EQ(closing.status_of_calls().origin(), StatusOrigin::transport);
}

}  // namespace
}  // namespace trunkline::session
