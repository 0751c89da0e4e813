// SPDX-License-Identifier: MIT
// Deadlines over both ends in virtual time: the caller's clock decides, the handler is notified, inner calls inherit.
#include "scenario/both_ends.h"

#include <optional>
#include <string>
#include <vector>

namespace trunkline::scenario {

namespace {

/// The time left that a handler sees, in ms.
std::string left_of(const ServerContext& context) {
  if (context.deadline() == base::never) return "none";
  return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(context.time_left()).count());
}

class ClientDeadline : public BothEnds {
 protected:
  void handle_left() {
    server().handle<std::string, std::string>(
        "Left", [](const std::string&, ServerContext& context) { return left_of(context); });
  }
};

TEST_F(ClientDeadline, EndsACallWhoseHandlerWaitsAndNotifiesTheHandler) {
  Gate gate(loop());
  bool was_cancelled = false;
  server().handle<std::string, std::string>(
      "Wait", [&](const std::string& request, ServerContext& context) -> asio::awaitable<std::string> {
        context.on_cancel([&] { was_cancelled = context.is_cancelled(); });
        co_await gate.pass();
        co_return request;
      });
  const auto outcome = begin("Wait", "x", {.timeout = 30s});

  advance(30s - 1ms);
  const int early = outcome->count;
  advance(1ms);

  EXPECT_EQ(early, 0);
  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
  EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("after 30000 ms"));
  EXPECT_TRUE(outcome->status().may_have_run());
  EXPECT_TRUE(was_cancelled);
  EXPECT_EQ(gate.waiting(), 0);
  EXPECT_EQ(server().totals().calls_cancelled, 1u);
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(ClientDeadline, AResponseInTimeStopsTheTimer) {
  Gate gate(loop());
  handle_waiting(gate);
  const auto outcome = begin("Wait", "x", {.timeout = 2s});

  advance(2s - 1ms);
  gate.open();
  settle();
  advance(1h);

  EXPECT_EQ(outcome->text(), "x");
  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(server().totals().calls_ok, 1u);
  EXPECT_EQ(server().totals().calls_cancelled, 0u);
}

TEST_F(ClientDeadline, InThePastNeverReachesTheServer) {
  handle_left();
  begin("Left", "x");

  const Status by_timeout = begin("Left", "x", {.timeout = 0s})->status();
  const Status by_deadline = begin("Left", "x", {.deadline = clock.now() - 1ns})->status();

  EXPECT_EQ(by_timeout.code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(by_deadline.code(), StatusCode::deadline_exceeded);
  EXPECT_FALSE(by_timeout.may_have_run());
  EXPECT_FALSE(by_deadline.may_have_run());
  EXPECT_EQ(server().totals().calls_started + server().totals().calls_refused, 1u) << "only the call before";
}

TEST_F(ClientDeadline, ExpiresWhileThereIsNoServer) {
  const auto outcome = begin("Left", "x", {.timeout = 5s, .wait_for_ready = true});

  advance(5s - 1ms);
  const int early = outcome->count;
  advance(1ms);
  handle_left();
  advance(1min);

  EXPECT_EQ(early, 0);
  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
  EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("both-ends"));
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_EQ(server().totals().calls_started, 0u);
}

TEST_F(ClientDeadline, TheServerSeesTheTimeThatIsLeft) {
  const auto late = begin("Left", "x", {.timeout = 5s, .wait_for_ready = true});
  clock.advance(3s);
  handle_left();
  settle();

  const auto by_timeout = begin("Left", "x", {.timeout = 700ms});
  const auto by_deadline = begin("Left", "x", {.deadline = clock.now() + 900ms});
  const auto by_both = begin("Left", "x", {.timeout = 700ms, .deadline = clock.now() + 600ms});
  const auto without = begin("Left", "x");

  EXPECT_EQ(late->text(), "2000");
  EXPECT_EQ(by_timeout->text(), "700");
  EXPECT_EQ(by_deadline->text(), "900");
  EXPECT_EQ(by_both->text(), "600");
  EXPECT_EQ(without->text(), "none");
}

TEST_F(ClientDeadline, TheDefaultAppliesUnlessTheCallHasItsOwn) {
  channel_options.default_timeout = 4s;
  handle_left();

  EXPECT_EQ(begin("Left", "x")->text(), "4000");
  EXPECT_EQ(begin("Left", "x", {.timeout = 9s})->text(), "9000");
  EXPECT_EQ(begin("Left", "x", {.deadline = clock.now() + 1s})->text(), "1000");
}

TEST_F(ClientDeadline, IsInheritedByTheCallOfAPlainHandler) {
  handle_left();
  Channel inner(*event_loop, address);
  std::vector<std::string> seen;
  server().handle<std::string, std::string>("Ask", [&](const std::string& request, ServerContext&) {
    const CallOptions own = request == "own" ? CallOptions{.timeout = 9s} : CallOptions{};
    inner.async_call<std::string>("Left", request, own,
                                  [&](Result<std::string> left) { seen.push_back(left.value_or("failed")); });
    return request;
  });

  begin("Ask", "inherits", {.timeout = 3s});
  begin("Ask", "own", {.timeout = 3s});
  begin("Ask", "none");

  EXPECT_THAT(seen, ElementsAre("3000", "9000", "none"));
}

TEST_F(ClientDeadline, IsInheritedByACoroutinesCallFromTheParentItNames) {
  handle_left();
  Channel inner(*event_loop, address);
  server().handle<std::string, std::string>(
      "Ask", [&](const std::string& request, ServerContext& context) -> asio::awaitable<Result<std::string>> {
        CallOptions options;
        if (request == "parent") options.parent = &context;
        co_return co_await inner.async_call<std::string>("Left", request, options, asio::use_awaitable);
      });

  const auto with = begin("Ask", "parent", {.timeout = 3s});
  const auto without = begin("Ask", "alone", {.timeout = 3s});

  EXPECT_EQ(with->text(), "3000");
  EXPECT_EQ(without->text(), "none");
}

TEST_F(ClientDeadline, OfTheOuterCallEndsTheInnerOneEvenIfTheOuterHasItsResponse) {
  Gate gate(loop());
  handle_waiting(gate);
  Channel inner(*event_loop, address);
  std::optional<Status> inner_status;
  server().handle<std::string, std::string>("Ask", [&](const std::string& request, ServerContext&) {
    inner.async_call<std::string>("Wait", request, {},
                                  [&](Result<std::string> result) { inner_status = result.status(); });
    return request;
  });

  const auto outer = begin("Ask", "x", {.timeout = 1s});
  const bool waited = !inner_status.has_value();
  advance(1s);

  EXPECT_EQ(outer->text(), "x");
  EXPECT_TRUE(waited);
  ASSERT_TRUE(inner_status.has_value());
  EXPECT_EQ(inner_status->code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(gate.waiting(), 0);
}

TEST_F(ClientDeadline, OfOneCallDoesNotAffectTheOthers) {
  Gate gate(loop());
  handle_waiting(gate);

  const auto first = begin("Wait", "a", {.timeout = 1s});
  const auto second = begin("Wait", "b", {.timeout = 2s});
  const auto third = begin("Wait", "c");
  advance(1s);
  const std::vector<int> after_one = {first->count, second->count, third->count};
  advance(1s);
  gate.open();
  settle();

  EXPECT_THAT(after_one, ElementsAre(1, 0, 0));
  EXPECT_EQ(second->status().code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(third->text(), "c");
}

}  // namespace

}  // namespace trunkline::scenario
