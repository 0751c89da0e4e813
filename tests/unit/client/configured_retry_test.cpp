// SPDX-License-Identifier: MIT
// What a service config asks for the calls of a method: retries, deadlines, and the length of messages.
#include "client/service_rules.h"
#include "unit/client/client_fixture.h"

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace trunkline::client {

namespace {

using Text = std::string;

class ConfiguredRetry : public ClientFixture {
 protected:
  ConfiguredRetry() {
    network.on_call = [this](FakeServer& server, const ServedCall& call) { on_call(server, call); };
  }
  /// For the method that the tests call.
  void configure(const std::string& members) {
    options.service_config = R"({"methodConfig": [{"name": [{"service": "a.S"}], )" + members + "}]}";
  }
  void configure_retries(const std::string& codes = R"("ABORTED")", const std::string& more = "") {
    configure(R"("retryPolicy": {"maxAttempts": 3, "initialBackoff": "1s", "maxBackoff": "4s", "backoffMultiplier": 2,
                                 "retryableStatusCodes": [)" +
              codes + "]" + more + "}");
  }
  /// Every call ends with `status`, after the handler has run.
  void fail_with(const Status& status) {
    on_call = [this, status](FakeServer& server, const ServedCall& call) {
      ++attempts;
      server.refuse(call.id, status, false);
    };
  }
  std::shared_ptr<Outcome> call(const CallOptions& call_options = {}) { return begin("x", call_options, "a.S/M"); }

  /// What servers do, which may change while they are connected.
  std::function<void(FakeServer&, const ServedCall&)> on_call = echo;
  int attempts = 0;
};

TEST_F(ConfiguredRetry, RepeatsAListedCodeAlthoughTheCallMayHaveRun) {
  configure_retries();
  fail_with({StatusCode::aborted, "conflict"});

  const auto outcome = call();
  for (int i = 0; i < 100; ++i) advance(100ms);

  EXPECT_EQ(attempts, 3);
  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::aborted);
  EXPECT_TRUE(outcome->status().may_have_run());
}

TEST_F(ConfiguredRetry, LeavesOtherCodesAndMethodsAlone) {
  configure_retries();
  fail_with({StatusCode::internal, "broken"});
  EXPECT_EQ(call()->status().code(), StatusCode::internal);
  fail_with({StatusCode::aborted, "conflict"});
  EXPECT_EQ(begin("x", {}, "a.T/M")->status().code(), StatusCode::aborted);

  EXPECT_EQ(attempts, 2);
}

TEST_F(ConfiguredRetry, PausesAsTheConfigSays) {
  configure_retries();
  fail_with({StatusCode::aborted, "conflict"});

  const auto outcome = call();
  advance(700ms);
  EXPECT_EQ(attempts, 1);
  advance(600ms);
  EXPECT_EQ(attempts, 2) << "1 s, more or less by a fifth";
  advance(1500ms);
  EXPECT_EQ(attempts, 2);
  advance(1s);
  EXPECT_EQ(attempts, 3) << "2 s, more or less by a fifth";
}

TEST_F(ConfiguredRetry, ObeysThePushbackOfTheServer) {
  configure_retries();
  Status busy(StatusCode::aborted, "busy");
  fail_with(busy.set_retry_after(10s));

  const auto outcome = call();
  advance(9s);
  EXPECT_EQ(attempts, 1);
  fail_with({StatusCode::aborted, "conflict"});
  advance(1001ms);
  EXPECT_EQ(attempts, 2);
  advance(1300ms);
  EXPECT_EQ(attempts, 3) << "the pauses begin anew after a pushback";
}

TEST_F(ConfiguredRetry, IsThrottled) {
  configure_retries();
  options.service_config.insert(1, R"("retryThrottling": {"maxTokens": 4, "tokenRatio": 1}, )");
  fail_with({StatusCode::aborted, "conflict"});

  const auto outcome = call();
  for (int i = 0; i < 100; ++i) advance(100ms);
  EXPECT_EQ(attempts, 2) << "two failures leave half of the four tokens";
  EXPECT_EQ(outcome->status().code(), StatusCode::aborted);

  on_call = echo;
  EXPECT_EQ(call()->text(), "re:x");
  EXPECT_EQ(call()->text(), "re:x");
  attempts = 0;
  fail_with({StatusCode::aborted, "conflict"});
  call();
  for (int i = 0; i < 100; ++i) advance(100ms);
  EXPECT_EQ(attempts, 2) << "successes have filled the tokens again";
}

TEST_F(ConfiguredRetry, SharesOneDeadlineAmongAttempts) {
  configure_retries();
  std::vector<base::TimePoint> deadlines;
  on_call = [&](FakeServer& server, const ServedCall& call) {
    deadlines.push_back(call.deadline);
    server.refuse(call.id, {StatusCode::aborted, "conflict"}, false);
  };

  const auto outcome = call({.timeout = 2s});
  for (int i = 0; i < 25; ++i) advance(100ms);

  ASSERT_EQ(deadlines.size(), 2u);
  EXPECT_EQ(deadlines[0], deadlines[1]);
  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
}

TEST_F(ConfiguredRetry, LimitsTheTimeOfAnAttempt) {
  configure_retries(R"("ABORTED")", R"(, "perAttemptRecvTimeout": "0.5s")");
  on_call = [this](FakeServer& server, const ServedCall& call) {
    if (++attempts == 2) echo(server, call);
  };

  const auto outcome = call();
  advance(501ms);
  EXPECT_FALSE(outcome->is_done());
  EXPECT_EQ(network.server(0).cancelled.size(), 1u);
  advance(1300ms);

  EXPECT_EQ(outcome->text(), "re:x");
  EXPECT_EQ(outcome->count, 1);
}

TEST_F(ConfiguredRetry, EndsACallWhoseAttemptsHaveAllTakenTooLong) {
  configure_retries(R"("ABORTED")", R"(, "perAttemptRecvTimeout": "0.5s")");
  on_call = [this](FakeServer&, const ServedCall&) { ++attempts; };

  const auto outcome = call();
  for (int i = 0; i < 100; ++i) advance(100ms);

  EXPECT_EQ(attempts, 3);
  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
  EXPECT_THAT(Text(outcome->status().message()), HasSubstr("call a.S/M: no response"));
  EXPECT_EQ(network.server(0).cancelled.size(), 3u);
}

TEST_F(ConfiguredRetry, IsOverOnceTheResponseHasBegun) {
  configure_retries();
  Metadata leading;
  leading.add("a", "b");
  for (const bool has_message : {false, true}) {
    attempts = 0;
    on_call = [&](FakeServer& server, const ServedCall& call) {
      ++attempts;
      if (has_message) {
        server.send(call.id, "early");
      } else {
        server.send_leading(call.id, leading);
      }
      server.refuse(call.id, {StatusCode::aborted, "conflict"}, false);
    };

    const auto outcome = call();
    for (int i = 0; i < 100; ++i) advance(100ms);

    EXPECT_EQ(attempts, 1) << has_message;
    EXPECT_EQ(outcome->count, 1);
    EXPECT_EQ(outcome->status().code(), StatusCode::aborted);
  }
}

TEST_F(ConfiguredRetry, DoesNotLimitAnAttemptThatHasBegunToRespond) {
  configure_retries(R"("ABORTED")", R"(, "perAttemptRecvTimeout": "0.5s")");
  Metadata leading;
  leading.add("a", "b");
  on_call = [&](FakeServer& server, const ServedCall& call) {
    ++attempts;
    server.send_leading(call.id, leading);
  };

  const auto outcome = call();
  advance(700ms);
  EXPECT_FALSE(outcome->is_done());
  echo(network.server(0), network.server(0).calls.at(0));
  advance(1ms);

  EXPECT_EQ(attempts, 1);
  EXPECT_EQ(outcome->text(), "re:x");
}

TEST_F(ConfiguredRetry, HasNoEffectOnAnOrderedChannel) {
  configure_retries();
  options.ordered = true;
  fail_with({StatusCode::aborted, "conflict"});

  EXPECT_EQ(call()->status().code(), StatusCode::aborted);
  EXPECT_EQ(attempts, 1);
}

// --- deadlines and lengths ---

class ConfiguredCall : public ConfiguredRetry {};

TEST_F(ConfiguredCall, EndsByTheEarlierTimeout) {
  configure(R"("timeout": "2s")");
  on_call = [](FakeServer&, const ServedCall&) {};

  const auto unlimited = call();
  const auto earlier = call({.timeout = 1s});
  const auto later = call({.timeout = 3s});
  advance(1001ms);
  EXPECT_FALSE(unlimited->is_done());
  EXPECT_EQ(earlier->status().code(), StatusCode::deadline_exceeded);
  advance(1s);

  EXPECT_EQ(unlimited->status().code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(later->status().code(), StatusCode::deadline_exceeded);
}

TEST_F(ConfiguredCall, WaitsForAConnection) {
  configure(R"("waitForReady": true)");
  network.refusals = 1;

  const auto outcome = call();
  EXPECT_FALSE(outcome->is_done());
  EXPECT_EQ(begin("x", {}, "a.T/M")->status().code(), StatusCode::unavailable);
  advance(1s);

  EXPECT_EQ(outcome->text(), "re:x");
}

TEST_F(ConfiguredCall, SendsNoLongerRequest) {
  configure(R"("maxRequestMessageBytes": 10)");

  EXPECT_EQ(begin("0123456789", {}, "a.S/M")->text(), "re:0123456789");
  const auto outcome = begin("0123456789x", {}, "a.S/M");

  EXPECT_EQ(outcome->status().code(), StatusCode::resource_exhausted);
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_THAT(Text(outcome->status().message()),
              HasSubstr("call a.S/M: the request has 11 bytes, maxRequestMessageBytes of the service config is 10"));
  EXPECT_EQ(network.server(0).calls.size(), 1u);
}

TEST_F(ConfiguredCall, TakesNoLongerResponse) {
  configure(R"("maxResponseMessageBytes": 10)");

  EXPECT_EQ(begin("1234567", {}, "a.S/M")->text(), "re:1234567");
  const auto outcome = begin("12345678", {}, "a.S/M");

  EXPECT_EQ(outcome->status().code(), StatusCode::resource_exhausted);
  EXPECT_THAT(Text(outcome->status().message()), HasSubstr("the response has 11 bytes, maxResponseMessageBytes"));
}

TEST_F(ConfiguredCall, ChannelRefusesAWrongConfig) {
  options.service_config = R"({"methodConfig": 1})";

  try {
    channel();
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(Text(error.what()), HasSubstr("service_config: service config: methodConfig: is not an array"));
  }
}

// --- streams ---

class ConfiguredStream : public ConfiguredRetry {
 protected:
  void open(const CallOptions& call_options = {}) {
    on_loop([&] {
      stream.emplace(channel().stream<Text, Text>("a.S/M", call_options));
      stream->async_write(Text("one"), [](const Status&) {});
    });
  }
  void finish() {
    on_loop([&] {
      stream->async_finish([this](const Status& status) {
        finished = status;
        is_finished = true;
      });
    });
  }

  std::optional<ClientStream<Text, Text>> stream;
  Status finished;
  bool is_finished = false;
};

TEST_F(ConfiguredStream, IsOpenedAgainByAListedCode) {
  configure_retries();
  on_call = [this](FakeServer& server, const ServedCall& call) {
    if (++attempts < 3) return server.refuse(call.id, {StatusCode::aborted, "conflict"}, false);
    server.on_message = [id = call.id](FakeServer& on, session::Event& event) {
      if (event.has_message) on.respond(id, "done");
    };
  };

  open();
  finish();
  for (int i = 0; i < 60; ++i) advance(100ms);

  EXPECT_EQ(attempts, 3);
  EXPECT_TRUE(is_finished && finished.is_ok()) << finished.to_string();
}

TEST_F(ConfiguredStream, StaysAsItIsOnceSomethingHasCome) {
  configure_retries();
  on_call = [this](FakeServer& server, const ServedCall& call) {
    ++attempts;
    server.send_leading(call.id, {{"a", "b"}});
    server.refuse(call.id, {StatusCode::aborted, "conflict"}, false);
  };

  open();
  finish();
  for (int i = 0; i < 60; ++i) advance(100ms);

  EXPECT_EQ(attempts, 1);
  EXPECT_EQ(finished.code(), StatusCode::aborted);
}

TEST_F(ConfiguredStream, IsOpenedAgainAfterARefusalOfAServerThatStays) {
  on_call = [this](FakeServer& server, const ServedCall& call) {
    if (++attempts == 1) return server.refuse(call.id, {StatusCode::unavailable, "no memory"}, true);
    server.respond(call.id, "done");
  };

  open();
  finish();
  EXPECT_EQ(attempts, 1);
  advance(200ms);

  EXPECT_EQ(attempts, 2);
  EXPECT_TRUE(is_finished && finished.is_ok()) << finished.to_string();
  EXPECT_EQ(network.servers.size(), 1u);
}

TEST_F(ConfiguredStream, IsOpenedAgainAsOftenAsMaxRetriesSays) {
  on_call = [this](FakeServer& server, const ServedCall& call) {
    ++attempts;
    server.refuse(call.id, {StatusCode::unavailable, "no memory"}, true);
  };

  open();
  finish();
  for (int i = 0; i < 60; ++i) advance(100ms);

  EXPECT_EQ(attempts, 1 + options.max_retries);
  EXPECT_EQ(finished.code(), StatusCode::unavailable);
  EXPECT_FALSE(finished.may_have_run());
}

TEST_F(ConfiguredStream, OfAnIdempotentMethodOutlivesItsConnection) {
  on_call = [this](FakeServer& server, const ServedCall& call) {
    if (++attempts == 2) server.respond(call.id, "done");
  };

  open({.idempotent = true});
  finish();
  on_loop([&] { network.server(0).cut(); });

  EXPECT_EQ(attempts, 2);
  EXPECT_TRUE(is_finished && finished.is_ok()) << finished.to_string();
}

TEST_F(ConfiguredStream, EndsByTheTimeoutOfTheConfig) {
  configure(R"("timeout": "2s")");
  on_call = [](FakeServer&, const ServedCall&) {};

  open();
  finish();
  advance(1990ms);
  EXPECT_FALSE(is_finished);
  advance(20ms);

  EXPECT_EQ(finished.code(), StatusCode::deadline_exceeded);
}

TEST_F(ConfiguredStream, FillsTheTokensAgainWhenItSucceeds) {
  configure_retries();
  options.service_config.insert(1, R"("retryThrottling": {"maxTokens": 4, "tokenRatio": 1}, )");
  fail_with({StatusCode::aborted, "conflict"});
  open();
  for (int i = 0; i < 60; ++i) advance(100ms);
  EXPECT_EQ(attempts, 2) << "two failures leave half of the four tokens";

  on_call = [](FakeServer& server, const ServedCall& call) { server.respond(call.id, "done"); };
  open();
  open();
  attempts = 0;
  fail_with({StatusCode::aborted, "conflict"});
  open();
  for (int i = 0; i < 60; ++i) advance(100ms);

  EXPECT_EQ(attempts, 2);
}

// --- errors ---

TEST_F(ConfiguredRetry, ACallThatNoServerTakesNamesItself) {
  options.early_calls = true;
  network.drains_at_once = 1000;

  const auto outcome = begin("x", {.wait_for_ready = true});
  for (int i = 0; i < 1000 && !outcome->is_done(); ++i) advance(100ms);

  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_THAT(Text(outcome->status().message()), HasSubstr("call Echo: the peer is going away"));
}

}  // namespace

}  // namespace trunkline::client
