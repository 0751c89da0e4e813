// SPDX-License-Identifier: MIT
// Calls that are sent to a second server: when, which attempt counts, and what becomes of the others.
#include "client/hedged_call.h"
#include "client/fleet.h"
#include "unit/client/client_fixture.h"

#include <trunkline/interceptor.h>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::client {

namespace {

/// A call that has reached a server and waits there.
struct Held {
  FakeServer* server = nullptr;
  std::size_t number = 0;
  ServedCall call;
};

class HedgedCalls : public ClientFixture {
 protected:
  HedgedCalls() {
    options.balancing = {.policy = BalancingPolicy::round_robin, .slow_start = 0ms, .seed = 1};
    hedge(R"("maxAttempts": 2, "hedgingDelay": "0.1s", "nonFatalStatusCodes": ["ABORTED"])");
    for (std::size_t number = 0; number < networks.size(); ++number) {
      networks[number] = std::make_unique<FakeNetwork>(loop());
      networks[number]->on_call = [this, number](FakeServer& server, const ServedCall& call) {
        if (on_call) return on_call(server, call);
        held.push_back({&server, number, call});
      };
    }
  }
  ~HedgedCalls() override { close_channel(); }

  void hedge(const std::string& members) {
    options.service_config = R"({"methodConfig": [{"name": [{}], "hedgingPolicy": {)" + members + "}}]}";
  }
  Channel& fleet() {
    if (fleet_ == nullptr) {
      core = ChannelCore::make(loop(), options, [this](const ConnectionSetup& setup, SourceOwner& owner) {
        return std::make_unique<Fleet>(setup, owner,
                                       FleetParts{.resolver = std::make_unique<Listed>(networks.size()),
                                                  .make_connector =
                                                      [this](const ResolvedServer& server) {
                                                        return networks.at(server.endpoint.port() - 1u)->connector();
                                                      },
                                                  .target = "test://fleet"});
      });
      fleet_ = std::make_unique<Channel>(core);
    }
    return *fleet_;
  }
  void close_channel() {
    core.reset();
    fleet_.reset();
  }
  std::shared_ptr<Outcome> call(const CallOptions& call_options = {}) {
    auto outcome = std::make_shared<Outcome>();
    Channel& on = fleet();
    on_loop([&on, outcome, call_options] {
      on.async_call<std::string>("Echo", std::string("x"), call_options, [outcome](Result<std::string> result) {
        outcome->result = std::move(result);
        ++outcome->count;
      });
    });
    return outcome;
  }
  /// A call that has reached two servers.
  std::shared_ptr<Outcome> call_hedged(const CallOptions& call_options = {}) {
    auto outcome = call(call_options);
    advance(101ms);
    EXPECT_EQ(held.size(), 2u);
    if (held.size() < 2) held.resize(2);
    return outcome;
  }
  void respond(const Held& to, std::string_view text) {
    on_loop([&] { to.server->respond(to.call.id, text); });
  }
  void refuse(const Held& call, const Status& status, bool unprocessed = false) {
    on_loop([&] { call.server->refuse(call.call.id, status, unprocessed); });
  }
  static bool is_cancelled(const Held& call) {
    const auto& cancelled = call.server->cancelled;
    return std::find(cancelled.begin(), cancelled.end(), call.call.id) != cancelled.end();
  }

  std::array<std::unique_ptr<FakeNetwork>, 3> networks;
  std::vector<Held> held;
  std::function<void(FakeServer&, const ServedCall&)> on_call;

 private:
  class Listed final : public Resolver {
   public:
    explicit Listed(std::size_t count) noexcept : count_(count) {}
    void start(std::shared_ptr<ResolverUpdates> updates) override {
      Resolution resolution;
      for (std::size_t i = 1; i <= count_; ++i) {
        resolution.servers.push_back({.endpoint = Endpoint::parse("tcp://10.0.0.1:" + std::to_string(i)).value()});
      }
      updates->update(std::move(resolution));
    }

   private:
    const std::size_t count_;
  };

  std::unique_ptr<Channel> fleet_;
};

TEST_F(HedgedCalls, AreSentToAnotherServerAfterTheDelay) {
  const auto outcome = call();
  advance(99ms);
  EXPECT_EQ(held.size(), 1u);

  advance(2ms);

  ASSERT_EQ(held.size(), 2u);
  EXPECT_NE(held[0].number, held[1].number);
  advance(10s);
  EXPECT_EQ(held.size(), 2u) << "max_attempts";
  EXPECT_FALSE(outcome->is_done());
}

TEST_F(HedgedCalls, AreSentToServersThatWereNotTriedWhileThereAreSome) {
  options.balancing.policy = BalancingPolicy::pick_first;
  hedge(R"("maxAttempts": 4, "hedgingDelay": "0.1s")");
  const auto outcome = call();
  for (int i = 0; i < 3; ++i) advance(101ms);

  ASSERT_EQ(held.size(), 4u);
  EXPECT_EQ((std::set{held[0].number, held[1].number, held[2].number}.size()), 3u);
  EXPECT_EQ(held[3].number, held[0].number) << "it has had the most time";
  respond(held[2], "third");
  EXPECT_EQ(outcome->text(), "third");
}

TEST_F(HedgedCalls, AreSentOnceIfTheAnswerIsInTime) {
  const auto outcome = call();
  advance(50ms);
  respond(held[0], "first");
  advance(10s);

  EXPECT_EQ(outcome->text(), "first");
  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(held.size(), 1u);
}

TEST_F(HedgedCalls, TakeTheFirstAnswerAndCancelTheOtherAttempt) {
  for (const std::size_t winner : {0u, 1u}) {
    held.clear();
    const auto outcome = call_hedged();

    respond(held[winner], "won");

    EXPECT_EQ(outcome->text(), "won");
    EXPECT_TRUE(is_cancelled(held[1 - winner]));
    EXPECT_FALSE(is_cancelled(held[winner]));
    respond(held[1 - winner], "late");
    EXPECT_EQ(outcome->count, 1);
    EXPECT_EQ(core->invoker().source().open_calls(), 0u);
  }
}

TEST_F(HedgedCalls, TakeOneOfTwoAnswersOfOneTurn) {
  const auto outcome = call_hedged();

  on_loop([&] {
    held[0].server->respond(held[0].call.id, "one");
    held[1].server->respond(held[1].call.id, "two");
  });

  EXPECT_EQ(outcome->count, 1);
  EXPECT_TRUE(outcome->text() == "one" || outcome->text() == "two") << outcome->text();
  EXPECT_EQ(core->invoker().source().open_calls(), 0u);
}

TEST_F(HedgedCalls, OfOneConnectionTakeOneOfTwoAnswersOfOneTurn) {
  for (auto& network : networks) network->refusals = network == networks[0] ? 0 : 1000;
  const auto outcome = call_hedged();
  ASSERT_EQ(held[0].server, held[1].server);

  on_loop([&] {
    held[0].server->respond(held[0].call.id, "one");
    held[1].server->respond(held[1].call.id, "two");
  });

  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->text(), "one");
  EXPECT_EQ(core->invoker().source().open_calls(), 0u);
}

TEST_F(HedgedCalls, AreCancelledByTheirCallerAtEveryServer) {
  asio::cancellation_signal cancel;
  auto outcome = std::make_shared<Outcome>();
  Channel& on = fleet();
  on_loop([&] {
    on.async_call<std::string>("Echo", std::string("x"),
                               asio::bind_cancellation_slot(cancel.slot(), [outcome](Result<std::string> result) {
                                 outcome->result = std::move(result);
                                 ++outcome->count;
                               }));
  });
  advance(101ms);
  ASSERT_EQ(held.size(), 2u);

  on_loop([&] { cancel.emit(asio::cancellation_type::terminal); });

  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::cancelled);
  EXPECT_TRUE(outcome->status().may_have_run());
  EXPECT_TRUE(is_cancelled(held[0]) && is_cancelled(held[1]));
  advance(10s);
  EXPECT_EQ(outcome->count, 1);
}

TEST_F(HedgedCalls, EndAtTheirDeadlineAtEveryServer) {
  const auto outcome = call_hedged({.timeout = 1s});
  EXPECT_EQ(held[0].call.deadline, held[1].call.deadline) << "one deadline for all attempts";

  advance(1s);

  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(core->invoker().source().open_calls(), 0u);
}

TEST_F(HedgedCalls, OutliveALostConnection) {
  const auto outcome = call_hedged();

  on_loop([&] { held[0].server->cut(); });
  EXPECT_FALSE(outcome->is_done());
  respond(held[1], "second");

  EXPECT_EQ(outcome->text(), "second");
  EXPECT_EQ(outcome->count, 1);
}

TEST_F(HedgedCalls, AreSentFurtherAtOnceWhenTheFirstConnectionIsLost) {
  const auto outcome = call();
  on_loop([&] { held[0].server->cut(); });

  ASSERT_EQ(held.size(), 2u);
  EXPECT_NE(held[1].number, held[0].number);
  respond(held[1], "second");
  EXPECT_EQ(outcome->text(), "second");
}

TEST_F(HedgedCalls, FailWhenAllConnectionsAreLost) {
  const auto outcome = call_hedged();

  on_loop([&] {
    held[0].server->cut();
    held[1].server->cut();
  });

  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_TRUE(outcome->status().may_have_run());
}

TEST_F(HedgedCalls, EndWithTheChannel) {
  const auto outcome = call_hedged();

  close_channel();

  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::cancelled);
}

TEST_F(HedgedCalls, FinishWhileTheChannelClosesAndAreNotSentFurther) {
  const auto outcome = call();
  Channel& on = fleet();
  std::size_t sent = 0;
  const auto answer = [&] {
    sent = held.size();
    held[0].server->respond(held[0].call.id, "answer");
  };
  on_loop([&] {
    // While close() runs the loop: the delay passes, and then the answer comes.
    event_loop->post([&] {
      clock.advance(1s);
      event_loop->post([&] { event_loop->post([&] { event_loop->post(answer); }); });
    });
    EXPECT_TRUE(on.close(1min).is_ok());
  });

  EXPECT_EQ(sent, 1u);

  EXPECT_EQ(outcome->text(), "answer");
}

TEST_F(HedgedCalls, GoOnAfterANonFatalCodeAndSendTheNextAttemptAtOnce) {
  const auto outcome = call();
  refuse(held[0], {StatusCode::aborted, "conflict"});
  ASSERT_EQ(held.size(), 2u);
  EXPECT_FALSE(outcome->is_done());

  respond(held[1], "second");

  EXPECT_EQ(outcome->text(), "second");
}

TEST_F(HedgedCalls, EndWithAFatalCodeAndCancelTheOtherAttempt) {
  const auto outcome = call_hedged();

  refuse(held[0], {StatusCode::not_found, "nothing there"});

  EXPECT_EQ(outcome->status().code(), StatusCode::not_found);
  EXPECT_TRUE(is_cancelled(held[1]));
  EXPECT_EQ(outcome->count, 1);
}

TEST_F(HedgedCalls, EndWithTheLastNonFatalCode) {
  const auto outcome = call_hedged();

  refuse(held[1], {StatusCode::aborted, "second"});
  EXPECT_FALSE(outcome->is_done());
  refuse(held[0], {StatusCode::aborted, "first"});

  EXPECT_EQ(outcome->status().to_string(), "aborted: first");
  EXPECT_EQ(outcome->count, 1);
}

TEST_F(HedgedCalls, WaitAsLongAsTheServerSays) {
  const auto outcome = call();
  Status busy(StatusCode::aborted, "busy");
  refuse(held[0], busy.set_retry_after(5s));
  advance(4900ms);
  EXPECT_EQ(held.size(), 1u);

  advance(200ms);

  ASSERT_EQ(held.size(), 2u);
  respond(held[1], "second");
  EXPECT_EQ(outcome->text(), "second");
}

TEST_F(HedgedCalls, GiveTheMetadataOfTheAttemptThatWins) {
  ResponseInfo info;
  const auto outcome = call_hedged({.response_info = &info});
  on_loop([&] {
    held[0].server->send_leading(held[0].call.id, {{"from", "first"}});
    held[1].server->send_leading(held[1].call.id, {{"from", "second"}});
  });

  const Metadata trailing{{"end", "second"}};
  on_loop([&] { held[1].server->respond(held[1].call.id, "second", &trailing); });

  EXPECT_EQ(outcome->text(), "second");
  EXPECT_EQ(info.leading.get("from"), "second");
  EXPECT_EQ(info.trailing.get("end"), "second");
}

TEST_F(HedgedCalls, CountAnswersThatComeAheadOfTheirStatus) {
  const auto outcome = call_hedged();

  on_loop([&] { held[1].server->send(held[1].call.id, "second"); });
  EXPECT_TRUE(is_cancelled(held[0]));
  EXPECT_FALSE(outcome->is_done());
  on_loop([&] { held[1].server->refuse(held[1].call.id, Status(), false); });

  EXPECT_EQ(outcome->text(), "second");
  EXPECT_EQ(outcome->count, 1);
}

TEST_F(HedgedCalls, GoOnWhenAFurtherAttemptCannotWait) {
  options.max_pending_calls = 1;
  for (auto& network : networks) network->max_concurrent_calls = 1;
  std::vector<std::shared_ptr<Outcome>> open;
  for (std::size_t i = 0; i < networks.size(); ++i) open.push_back(call());
  const auto waiting = call();
  ASSERT_EQ(held.size(), 3u) << "every server is full";

  advance(101ms);

  EXPECT_FALSE(open[0]->is_done()) << open[0]->status().to_string();
  EXPECT_FALSE(is_cancelled(held[0]));
  respond(held[0], "first");
  EXPECT_EQ(open[0]->text(), "first");
  refuse(held[1], {StatusCode::not_found, "nothing there"});
  EXPECT_EQ(open[1]->status().code(), StatusCode::not_found) << "no attempt is left";
  EXPECT_EQ(open[1]->count, 1);
}

TEST_F(HedgedCalls, EndOnceTheLastAttemptIsLostAfterOneThatCouldNotWait) {
  options.max_pending_calls = 1;
  for (auto& network : networks) network->max_concurrent_calls = 1;
  std::vector<std::shared_ptr<Outcome>> open;
  for (std::size_t i = 0; i < networks.size(); ++i) open.push_back(call());
  const auto waiting = call();
  advance(101ms);

  refuse(held[2], {StatusCode::aborted, "conflict"});

  EXPECT_EQ(open[2]->count, 1);
  EXPECT_EQ(open[2]->status().to_string(), "aborted: conflict");
}

TEST_F(HedgedCalls, PassInterceptorsOnce) {
  struct Counting final : Interceptor {
    Status on_start(CallInfo&) override {
      ++starts;
      return {};
    }
    void on_finish(CallInfo&, Status&) override { ++ends; }
    int starts = 0;
    int ends = 0;
  };
  const auto counting = std::make_shared<Counting>();
  options.interceptors = {counting};

  const auto outcome = call_hedged();
  respond(held[1], "second");

  EXPECT_EQ(outcome->text(), "second");
  EXPECT_EQ(counting->starts, 1);
  EXPECT_EQ(counting->ends, 1);
}

TEST_F(HedgedCalls, AllBeginAtOnceWithoutADelay) {
  hedge(R"("maxAttempts": 3)");
  const auto warm = call();
  for (const Held& each : std::exchange(held, {})) respond(each, "warm");

  const auto outcome = call();

  ASSERT_EQ(held.size(), 3u);
  respond(held[2], "third");
  EXPECT_EQ(outcome->text(), "third");
  EXPECT_TRUE(is_cancelled(held[0]) && is_cancelled(held[1]));
}

TEST_F(HedgedCalls, DoNotKeepTheLoopBusyWhileTheyAreLimited) {
  hedge(R"("maxAttempts": 2, "hedgingDelay": "0s", "maxExtra": 0.01)");
  for (int i = 0; i < 12; ++i) call();

  int turns = 0;
  clock.advance(5ms);
  while (event_loop->poll() && turns < 1000) ++turns;

  EXPECT_LT(turns, 100);
}

TEST_F(HedgedCalls, AreLimitedByMaxExtra) {
  hedge(R"("maxAttempts": 2, "hedgingDelay": "0.1s", "maxExtra": 0.01)");

  for (int i = 0; i < 40; ++i) call();
  advance(1s);

  EXPECT_EQ(held.size(), 40u + static_cast<std::size_t>(balance::HedgePolicy::most_saved));
}

TEST_F(HedgedCalls, AreThrottledLikeRetries) {
  options.service_config.insert(1, R"("retryThrottling": {"maxTokens": 4, "tokenRatio": 1}, )");
  const auto failed = call();
  refuse(held[0], {StatusCode::aborted, "conflict"});
  ASSERT_EQ(held.size(), 2u);
  refuse(held[1], {StatusCode::aborted, "conflict"});
  EXPECT_TRUE(failed->is_done());
  held.clear();

  const auto outcome = call();
  advance(1s);

  EXPECT_EQ(held.size(), 1u);
}

TEST_F(HedgedCalls, LeaveOneWayCallsAlone) {
  Channel& on = fleet();
  bool is_sent = false;
  on_loop([&] {
    on.async_call_oneway("Echo", std::string("x"), {}, [&](const Status& status) { is_sent = status.is_ok(); });
  });
  advance(1s);

  EXPECT_TRUE(is_sent);
  EXPECT_EQ(held.size(), 1u);
}

// --- ChannelOptions::hedging ---

class HedgedByPercentile : public HedgedCalls {
 protected:
  HedgedByPercentile() {
    options.service_config.clear();
    options.hedging = HedgingOptions{.percentile = 0.9, .max_extra = 1};
  }
  /// Enough calls to measure, of 10 ms each.
  void measure() {
    for (std::uint64_t i = 0; i < balance::HedgePolicy::least_samples; ++i) {
      const auto outcome = call({.idempotent = true});
      advance(10ms);
      respond(held.back(), "measured");
      EXPECT_EQ(outcome->text(), "measured");
    }
    held.clear();
  }
};

TEST_F(HedgedByPercentile, AreSentAgainOnceTheyAreLate) {
  measure();

  const auto outcome = call({.idempotent = true});
  advance(9ms);
  EXPECT_EQ(held.size(), 1u);
  advance(3ms);
  ASSERT_EQ(held.size(), 2u);
  respond(held[1], "second");

  EXPECT_EQ(outcome->text(), "second");
}

TEST_F(HedgedByPercentile, ConcernsIdempotentCallsOnly) {
  measure();

  const auto outcome = call();
  advance(1s);

  EXPECT_EQ(held.size(), 1u);
}

TEST_F(HedgedByPercentile, IsRetriedAsTheOptionsSayOnceAllAttemptsAreLost) {
  const auto outcome = call({.idempotent = true});
  for (int lost = 0; lost < 3; ++lost) {
    on_loop([&] { held.back().server->cut(); });
    advance(1s);
    ASSERT_EQ(held.size(), static_cast<std::size_t>(lost) + 2);
  }
  respond(held.back(), "at last");

  EXPECT_EQ(outcome->text(), "at last");
}

TEST_F(HedgedByPercentile, ChannelRefusesOptionsOutOfRange) {
  const auto refused = [&](const HedgingOptions& hedging) {
    options.hedging = hedging;
    try {
      fleet();
      return std::string();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
  };

  EXPECT_THAT(refused({.max_attempts = 1}), HasSubstr("hedging.max_attempts"));
  EXPECT_THAT(refused({.max_attempts = 6}), HasSubstr("hedging.max_attempts"));
  EXPECT_THAT(refused({.delay = -1ns}), HasSubstr("hedging.delay"));
  EXPECT_THAT(refused({.percentile = 1}), HasSubstr("hedging.percentile"));
  EXPECT_THAT(refused({.max_extra = 0}), HasSubstr("hedging.max_extra"));
}

}  // namespace

}  // namespace trunkline::client
