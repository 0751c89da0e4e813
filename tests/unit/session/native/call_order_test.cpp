// SPDX-License-Identifier: MIT
// What concerns many calls at once is reported and served oldest first, whatever their order in the call table.
#include "kit/lone_session.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trunkline::session::native {
namespace {

using kit::LoneSession;

constexpr CallId many = 60;

/// Starts calls 1 to `last` with `message`.
void start_calls(LoneSession& lone, const OutgoingMessage& message, bool end, CallId last = many) {
  for (CallId id = 1; id <= last; ++id) {
    const CallStart start{.method = {1, "a/b"}, .end = end, .context = lone.context_of(id)};
    ASSERT_TRUE(lone.session().start(start, message).is_ok());
  }
}

/// The calls of the events of this type.
std::vector<CallId> ids_of(const std::vector<kit::SeenEvent>& events, EventType type) {
  std::vector<CallId> ids;
  for (const auto& event : events) {
    if (event.type == type) ids.push_back(event.id);
  }
  return ids;
}

std::vector<CallId> all_in_order(CallId last = many) {
  std::vector<CallId> ids;
  for (CallId id = 1; id <= last; ++id) ids.push_back(id);
  return ids;
}

TEST(CallOrder, OfTheEndOfTheConnection) {
  LoneSession lone(Role::client);
  lone.greet();
  start_calls(lone, kit::payload("x"), true);

  lone.session().transport_closed({});

  EXPECT_EQ(ids_of(lone.events(), EventType::finished), all_in_order());
}

TEST(CallOrder, OfTheEndOmitsCallsCancelledMeanwhile) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.feed({kit::call(1, 1, "a/b"), kit::call(2, 1), kit::call(3, 1)});
  static_cast<void>(lone.events());
  std::vector<CallId> notified;
  lone.end().on_event = [&](Event& event) {
    notified.push_back(event.id);
    if (event.id == 1) static_cast<void>(lone.session().finish(2, {}, {}, nullptr, false));
  };

  lone.session().close({});
  static_cast<void>(lone.events());

  EXPECT_EQ(notified.front(), 1u);
  EXPECT_EQ(notified.back(), 0u);
}

TEST(CallOrder, OfWritersThatMayContinue) {
  SessionOptions options = kit::plain_options();
  options.limits.max_unsent_bytes = 4096;
  LoneSession lone(Role::client, options);
  lone.greet();
  start_calls(lone, {}, false);
  for (CallId id = 1; id <= many; ++id) {
    ASSERT_TRUE(lone.session().send(id, kit::payload(std::string(200, 'x')), nullptr, false).is_ok());
  }
  for (CallId id = many; id > 0; --id) ASSERT_FALSE(lone.session().is_writable(id));

  static_cast<void>(lone.sent_frames());

  EXPECT_EQ(ids_of(lone.events(), EventType::writable), all_in_order());
}

TEST(CallOrder, OfMessagesThatTheHelloGrantsCredit) {
  constexpr CallId within_early_credit = 15;
  LoneSession lone(Role::client);
  start_calls(lone, kit::payload(std::string(65536 + 100, 'x')), true, within_early_credit);
  const auto early = lone.sent_frames();

  lone.feed(kit::greeting({.connection_credit = 1u << 30, .call_credit = 1 << 20}));

  std::vector<CallId> ends;
  for (const auto& frame : lone.sent_frames()) {
    if ((frame.header.flags & wire::flag::end) != 0) ends.push_back(frame.header.call);
  }
  ASSERT_EQ(early.size(), 1 + within_early_credit);  // hello, and all that the early credit of each call allows
  EXPECT_EQ(ends, all_in_order(within_early_credit));
}

}  // namespace
}  // namespace trunkline::session::native
