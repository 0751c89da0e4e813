// SPDX-License-Identifier: MIT
// UnaryCalls without a channel: the test owns the parts, chooses the connection, and completes the calls. The invoker,
// connections and sessions are real ones in memory, since their classes are final.
#include "client/unary_calls.h"
#include "client/service_rules.h"
#include "kit/manual_clock.h"
#include "unit/client/fake_server.h"

#include <trunkline/interceptor.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::client {

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class UnaryCallsTest : public ::testing::Test, public UnaryCallOwner, public ConnectionOwner {
 protected:
  /// A source that hands out the connection of the test.
  class TestSource final : public ConnectionSource {
   public:
    TestSource(UnaryCallsTest& test, SourceOwner& owner) noexcept : test_(test) { test.source_owner = &owner; }
    ClientConnection* pick(const MethodEntry&, const balance::CallHints&) override {
      for (ClientConnection* const connection : {test_.given, test_.next_given}) {
        if (connection != nullptr && connection->can_start()) return connection;
      }
      return nullptr;
    }
    bool has_room_soon() const noexcept override { return false; }
    std::optional<OpenBreakers> open_breakers(const MethodEntry&) const override { return std::nullopt; }
    void connect() override { ++test_.connects; }
    void hasten(base::TimePoint) override {}
    ChannelLifecycle::Event condition() const noexcept override { return ChannelLifecycle::Event::pool_ready; }
    bool is_ready() const noexcept override { return test_.given != nullptr; }
    bool is_failing() const noexcept override { return test_.is_failing; }
    bool had_hello() const noexcept override { return false; }
    const Status& last_error() const noexcept override { return test_.last_error; }
    session::AwaitedLimit awaited_limit() const noexcept override { return {}; }
    const std::string& target() const noexcept override { return test_.target; }
    std::size_t open_calls() const noexcept override { return 0; }
    bool has_work_left() const noexcept override { return false; }
    std::vector<ServerState> servers() const override { return {}; }
    void drain() override {}
    void close_all(const Status&) override {}
    void end_calls() override {}
    void detach() override {}

   private:
    UnaryCallsTest& test_;
  };

  struct TestCall : detail::CallOperation {
    explicit TestCall(UnaryCallsTest& of_test)
        : CallOperation(&on_complete, MutableMessageView::of(received)), test(of_test) {}
    static void on_complete(CallOperation& operation) {
      auto& call = static_cast<TestCall&>(operation);
      ++call.completions;
      if (call.then) call.then();
    }
    std::string text() const { return status.is_ok() ? received : "error: " + status.to_string(); }
    UnaryCallsTest& test;
    std::string sent;
    std::string received;
    int completions = 0;
    bool has_begun = false;
    /// Runs in the completion, as code of the caller.
    std::function<void()> then;
  };

  struct TestInterceptor final : Interceptor {
    explicit TestInterceptor(UnaryCallsTest& of_test) noexcept : test(of_test) {}
    Status on_start(CallInfo& call) override { return test.on_start ? test.on_start(call) : Status(); }
    void on_finish(CallInfo& call, Status& status) override {
      if (test.on_finish) test.on_finish(call, status);
    }
    UnaryCallsTest& test;
  };

  UnaryCallsTest() {
    options.backoff.jitter = 0;
    options.backoff.seed = 1;
    options.limits.keepalive_interval = {};
    options.log = [this](const LogRecord& record) { logged.emplace_back(record.message); };
  }
  /// Cancels the calls that a test has left open. Each call has completed once then, and nothing is left.
  void TearDown() override {
    if (made_calls == nullptr) return;
    completes = true;
    on_loop([&] {
      for (const auto& call : all) {
        if (call->has_begun && call->completions == 0) made_calls->cancel(*call);
      }
      made_calls->complete_all();
    });
    for (const auto& call : all) EXPECT_EQ(call->completions, call->has_begun ? 1 : 0);
    EXPECT_TRUE(made_calls->ended().empty());
    EXPECT_FALSE(invoker->has_work_left());
    for (const auto& connection : connections) EXPECT_EQ(connection->open_calls(), 0u);
  }
  ~UnaryCallsTest() override {
    for (const auto& connection : connections) connection->detach();
    connections.clear();
    run_completions.cancel();
    made_calls.reset();
    invoker.reset();
    settle();
  }

  // --- the parts ---

  UnaryCalls& calls() {
    if (made_calls == nullptr) make();
    return *made_calls;
  }
  void make() {
    session_options.codecs = &options.codecs;
    session_options.compressors = &options.compressors;
    session_options.limits = options.limits;
    session_options.ordered = options.ordered;
    log = std::make_unique<ExceptionLog>(options.log);
    preparation = std::make_unique<CallPreparation>(loop, options);
    rules = std::make_unique<ServiceRules>(options);
    invoker = std::make_unique<ConnectionInvoker>(
        setup(), lifecycle,
        [this](const ConnectionSetup&, SourceOwner& owner) { return std::make_unique<TestSource>(*this, owner); },
        ConnectionInvoker::Hooks{.changed = [] {}, .is_ready_awaited = [] { return false; }});
    rules->on_change = [this] { invoker->rules_changed(); };
    made_calls = std::make_unique<UnaryCalls>(UnaryCalls::Parts{.loop = loop,
                                                                .options = options,
                                                                .lifecycle = lifecycle,
                                                                .log = *log,
                                                                .preparation = *preparation,
                                                                .invoker = *invoker,
                                                                .rules = *rules,
                                                                .run_completions = run_completions,
                                                                .keep_channel = [this] { return channel; }});
  }
  ConnectionSetup setup() {
    return {.loop = loop, .options = options, .session_options = session_options, .calls = *this, .rules = *rules};
  }
  /// Makes a connection that calls are given from now on.
  FakeServer& connect() {
    calls();
    on_loop([&] {
      auto [near, far] = net::make_memory_pair(loop, loop, {.buffer_bytes = 1 << 20, .address = target});
      session::SessionOptions of_server;
      of_server.codecs = &options.codecs;
      of_server.compressors = &options.compressors;
      of_server.limits.keepalive_interval = {};
      of_server.limits.max_message_bytes = options.limits.max_message_bytes;
      servers.push_back(std::make_unique<FakeServer>(std::move(far), of_server, false));
      connections.push_back(
          std::make_shared<ClientConnection>(setup(), *this, std::move(near), session::native::protocol()));
      connections.back()->start();
    });
    given = connections.back().get();
    return *servers.back();
  }

  // --- calls ---

  TestCall& make_call(std::string request) {
    all.push_back(std::make_unique<TestCall>(*this));
    all.back()->sent = std::move(request);
    return *all.back();
  }
  void start(TestCall& call, const CallOptions& call_options = {}, const Method& method = "Echo") {
    on_loop([&] { start_here(call, call_options, method); });
  }
  /// Begins a call on the thread that is running.
  void start_here(TestCall& call, const CallOptions& call_options = {}, const Method& method = "Echo") {
    calls().begin(call, method, MessageView::of(call.sent), call_options);
    call.has_begun = true;
  }
  TestCall& begin(std::string request, const CallOptions& call_options = {}, const Method& method = "Echo") {
    TestCall& call = make_call(std::move(request));
    start(call, call_options, method);
    return call;
  }
  /// Begins a call as a thread that does not run the loop.
  TestCall& begin_elsewhere(std::string request, const CallOptions& call_options = {}) {
    TestCall& call = make_call(std::move(request));
    start_here(call, call_options);
    return call;
  }
  /// A call that takes the general path and can be cancelled by its number.
  TestCall& begin_numbered(std::string request, const CallOptions& call_options = {}) {
    TestCall& call = make_call(std::move(request));
    call.cancel_number = calls().next_cancel_number();
    start(call, call_options);
    return call;
  }
  void cancel(TestCall& call) {
    on_loop([&] { calls().cancel(call.cancel_number); });
  }
  void respond(FakeServer& server, std::string_view text) {
    on_loop([&] { server.respond(server.calls.back().id, text); });
  }
  void refuse(FakeServer& server, const Status& status, bool unprocessed = false, const Metadata* trailing = nullptr) {
    on_loop([&] { server.refuse(server.calls.back().id, status, unprocessed, trailing); });
  }
  void cut(FakeServer& server) {
    on_loop([&] { server.cut(); });
  }
  void have_room() {
    on_loop([&] { source_owner->source_has_room(); });
  }
  void configure(const std::string& members) {
    options.service_config = R"({"methodConfig": [{"name": [{}], )" + members + "}]}";
  }
  void intercept() { options.interceptors.push_back(std::make_shared<TestInterceptor>(*this)); }

  // --- UnaryCallOwner and ConnectionOwner ---

  std::shared_ptr<void> keep_alive() override { return channel; }
  void response_begun(detail::CallOperation& operation, const Metadata& leading) override {
    calls().response_begun(operation, leading);
  }
  void response_received(detail::CallOperation& operation) override { calls().response_received(operation); }
  void call_finished(detail::CallOperation& operation, session::Event& event,
                     const ClientConnection& connection) override {
    calls().call_finished(operation, event, connection);
  }
  void connection_opened(ClientConnection&) override {}
  void connection_responded(ClientConnection&) override {}
  void connection_has_room(ClientConnection&) override {}
  void connection_draining(ClientConnection&) override {}
  void connection_closed(ClientConnection&, const Status&) override {}
  bool wants_connection() const noexcept override { return true; }

  // --- the loop ---

  void settle() {
    while (loop.poll()) {
    }
  }
  void on_loop(std::function<void()> task) {
    loop.post(std::move(task));
    settle();
  }
  void advance(base::Duration by) {
    clock.advance(by);
    settle();
  }

  kit::ManualClock clock;
  net::Loop loop{{}, &clock};
  ChannelOptions options;
  session::SessionOptions session_options;
  ChannelLifecycle lifecycle;
  std::unique_ptr<ExceptionLog> log;
  std::unique_ptr<CallPreparation> preparation;
  std::unique_ptr<ServiceRules> rules;
  std::unique_ptr<ConnectionInvoker> invoker;
  SourceOwner* source_owner = nullptr;
  /// False: calls that have ended wait for the test.
  bool completes = true;
  int completion_runs = 0;
  net::DeferredTask run_completions{[](void* self) {
                                      auto& test = *static_cast<UnaryCallsTest*>(self);
                                      ++test.completion_runs;
                                      if (test.completes) test.calls().complete_all();
                                    },
                                    this};
  std::shared_ptr<int> channel = std::make_shared<int>();
  std::unique_ptr<UnaryCalls> made_calls;

  const std::string target = "inproc://alone";
  std::vector<std::unique_ptr<FakeServer>> servers;
  std::vector<std::shared_ptr<ClientConnection>> connections;
  ClientConnection* given = nullptr;
  /// What calls are given if the present connection cannot start any.
  ClientConnection* next_given = nullptr;
  bool is_failing = false;
  Status last_error;
  int connects = 0;
  std::vector<std::unique_ptr<TestCall>> all;
  std::vector<std::string> logged;
  std::function<Status(CallInfo&)> on_start;
  std::function<void(CallInfo&, Status&)> on_finish;
};

using UnaryCallsPath = UnaryCallsTest;
using UnaryCallsPosted = UnaryCallsTest;
using UnaryCallsUnsent = UnaryCallsTest;
using UnaryCallsCompletion = UnaryCallsTest;
using UnaryCallsWaiting = UnaryCallsTest;
using UnaryCallsDeadline = UnaryCallsTest;
using UnaryCallsRetry = UnaryCallsTest;
using UnaryCallsInterception = UnaryCallsTest;
using UnaryCallsConfigured = UnaryCallsTest;
using UnaryCallsHedged = UnaryCallsTest;
using UnaryCallsCancel = UnaryCallsTest;
using UnaryCallsDetached = UnaryCallsTest;

const Status handler_error{StatusCode::not_found, "no such thing"};
const Status not_taken{StatusCode::unavailable, "busy"};

// --- the path of a call ---

TEST_F(UnaryCallsPath, ACallIsSentAndCompletesWithItsResponse) {
  FakeServer& server = connect();

  TestCall& call = begin("hello");

  ASSERT_EQ(server.calls.size(), 1u);
  EXPECT_EQ(server.calls[0].method, "Echo");
  EXPECT_EQ(server.calls[0].payload, "hello");
  EXPECT_TRUE(server.calls[0].end);
  EXPECT_EQ(call.completions, 0);
  respond(server, "answer");

  EXPECT_EQ(call.text(), "answer");
  EXPECT_EQ(call.completions, 1);
  EXPECT_TRUE(calls().ended().empty());
}

TEST_F(UnaryCallsPath, AnErrorOfTheHandlerStaysAsItIs) {
  FakeServer& server = connect();
  TestCall& call = begin("x");

  refuse(server, handler_error);

  EXPECT_EQ(call.status.code(), StatusCode::not_found);
  EXPECT_EQ(call.status.message(), "no such thing");
  EXPECT_EQ(call.status.origin(), StatusOrigin::peer);
  EXPECT_EQ(call.completions, 1);
}

TEST_F(UnaryCallsPath, TheErrorOfALostConnectionNamesCallAndServer) {
  options.max_retries = 0;
  FakeServer& server = connect();
  TestCall& call = begin("x");

  cut(server);

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::unavailable);
  EXPECT_TRUE(call.status.may_have_run());
  EXPECT_THAT(std::string(call.status.message()), HasSubstr("call Echo: "));
  EXPECT_THAT(std::string(call.status.message()), HasSubstr("(inproc://alone)"));
}

TEST_F(UnaryCallsPath, AOneWayCallEndsWhenTheConnectionHasIt) {
  FakeServer& server = connect();
  TestCall& call = make_call("x");
  call.one_way = true;

  start(call);

  EXPECT_EQ(call.completions, 1);
  EXPECT_TRUE(call.status.is_ok());
  ASSERT_EQ(server.calls.size(), 1u);
  EXPECT_TRUE(server.calls[0].one_way);
}

TEST_F(UnaryCallsPath, AOneWayCallWithDetailsEndsLikewise) {
  FakeServer& server = connect();
  TestCall& call = make_call("x");
  call.one_way = true;
  CallOptions with_metadata;
  with_metadata.metadata.add("key", "value");

  start(call, with_metadata);

  EXPECT_EQ(call.completions, 1);
  ASSERT_EQ(server.calls.size(), 1u);
  EXPECT_EQ(server.calls[0].metadata.get("key"), "value");
}

TEST_F(UnaryCallsPath, AThreadThatWaitsIsWokenAmidTheEvents) {
  completes = false;
  FakeServer& server = connect();
  TestCall& call = make_call("x");
  call.request_stays = true;
  start(call);

  respond(server, "answer");

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.text(), "answer");
  EXPECT_EQ(completion_runs, 0) << "it takes no turn through the queue";
}

TEST_F(UnaryCallsPath, AThreadThatWaitsLearnsOfAnErrorThroughTheQueue) {
  FakeServer& server = connect();
  TestCall& call = make_call("x");
  call.request_stays = true;
  start(call);

  refuse(server, handler_error);

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::not_found);
  EXPECT_EQ(completion_runs, 1);
}

TEST_F(UnaryCallsPath, MetadataGoesForthAndResponseInfoComesBack) {
  FakeServer& server = connect();
  ResponseInfo info;
  CallOptions with_info;
  with_info.metadata.add("key", "value");
  with_info.response_info = &info;
  TestCall& call = begin("x", with_info);
  EXPECT_EQ(server.calls.at(0).metadata.get("key"), "value");
  Metadata leading;
  leading.add("first", "1");
  Metadata trailing;
  trailing.add("last", "2");

  on_loop([&] {
    server.send_leading(server.calls[0].id, leading);
    server.respond(server.calls[0].id, "answer", &trailing);
  });

  EXPECT_EQ(call.text(), "answer");
  EXPECT_EQ(info.leading.get("first"), "1");
  EXPECT_EQ(info.trailing.get("last"), "2");
  EXPECT_EQ(info.peer, "inproc://alone");
}

TEST_F(UnaryCallsPath, LeadingMetadataThatNobodyAsksForIsNoHarm) {
  FakeServer& server = connect();
  TestCall& call = begin("x");
  Metadata leading;
  leading.add("first", "1");

  on_loop([&] {
    server.send_leading(server.calls[0].id, leading);
    server.respond(server.calls[0].id, "answer");
  });

  EXPECT_EQ(call.text(), "answer");
}

// --- calls from other threads ---

TEST_F(UnaryCallsPosted, ACallIsEncodedAtOnceAndSentByTheLoop) {
  FakeServer& server = connect();

  TestCall& call = begin_elsewhere("hello");
  call.sent = "changed meanwhile";
  EXPECT_TRUE(server.calls.empty());
  settle();
  ASSERT_EQ(server.calls.size(), 1u);
  EXPECT_EQ(server.calls[0].payload, "hello");
  respond(server, "answer");

  EXPECT_EQ(call.text(), "answer");
}

TEST_F(UnaryCallsPosted, TheChannelIsKeptUntilTheLoopHasTheCall) {
  FakeServer& server = connect();
  const long before = channel.use_count();

  begin_elsewhere("hello");
  const long on_its_way = channel.use_count();
  settle();

  EXPECT_EQ(on_its_way, before + 1);
  EXPECT_EQ(channel.use_count(), before);
  EXPECT_EQ(server.calls.size(), 1u);
}

TEST_F(UnaryCallsPosted, AnErrorIsReportedByTheLoopAndNotByTheFunctionThatBegins) {
  connect();
  CallOptions wrong;
  wrong.codec = "none";

  TestCall& call = begin_elsewhere("x", wrong);
  EXPECT_EQ(call.completions, 0);
  settle();

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::invalid_argument);
  EXPECT_FALSE(call.status.may_have_run());
}

TEST_F(UnaryCallsPosted, ACallThatIsCancelledOnItsWayIsNotSent) {
  TestCall& call = make_call("x");
  call.cancel_number = calls().next_cancel_number();
  start_here(call);

  cancel(call);

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status, Status(StatusCode::cancelled, "call Echo: cancelled by the caller").set_may_have_run(false));
}

// --- calls that cannot be sent ---

TEST_F(UnaryCallsUnsent, ForAnUnknownCodecOrCompressor) {
  FakeServer& server = connect();
  CallOptions codec;
  codec.codec = "none";
  CallOptions compressor;
  compressor.compressor = "none";

  for (const CallOptions& wrong : {codec, compressor}) {
    TestCall& call = begin("x", wrong);

    EXPECT_EQ(call.completions, 1);
    EXPECT_EQ(call.status.code(), StatusCode::invalid_argument);
    EXPECT_THAT(std::string(call.status.message()), HasSubstr("call Echo: "));
    EXPECT_FALSE(call.status.may_have_run());
  }
  EXPECT_TRUE(server.calls.empty());
}

TEST_F(UnaryCallsUnsent, BeyondTheLengthOfMessages) {
  options.limits.max_message_bytes = 1024;
  FakeServer& server = connect();

  TestCall& call = begin(std::string(2000, 'x'));

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::resource_exhausted);
  EXPECT_THAT(std::string(call.status.message()), HasSubstr("call Echo: "));
  EXPECT_FALSE(call.status.may_have_run());
  EXPECT_TRUE(server.calls.empty());
  EXPECT_EQ(connections[0]->open_calls(), 0u);
}

TEST_F(UnaryCallsUnsent, BeyondTheLengthOfMessagesWithDetails) {
  options.limits.max_message_bytes = 1024;
  connect();
  CallOptions with_metadata;
  with_metadata.metadata.add("key", "value");

  TestCall& call = begin(std::string(2000, 'x'), with_metadata);

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::resource_exhausted);
  EXPECT_FALSE(call.status.may_have_run());
}

TEST_F(UnaryCallsUnsent, AnExceptionWhileItIsPreparedReachesTheCaller) {
  intercept();
  on_start = [](CallInfo&) -> Status { throw std::runtime_error("x"); };
  options.log = [](const LogRecord&) { throw std::runtime_error("in the log"); };
  connect();
  TestCall& call = make_call("x");
  bool has_thrown = false;

  on_loop([&] {
    try {
      start_here(call);
    } catch (const std::runtime_error&) {
      has_thrown = true;
    }
  });

  EXPECT_TRUE(has_thrown);
  EXPECT_EQ(call.completions, 0) << "it has not begun";
  EXPECT_TRUE(calls().ended().empty());
  EXPECT_TRUE(servers[0]->calls.empty());
}

TEST_F(UnaryCallsUnsent, OnceTheChannelIsClosed) {
  FakeServer& server = connect();
  given = nullptr;
  lifecycle.on(ChannelLifecycle::Event::close);

  TestCall& call = begin("x");

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status,
            Status(StatusCode::failed_precondition, "call Echo: the channel is closed").set_may_have_run(false));
  EXPECT_TRUE(server.calls.empty());
}

// --- completion ---

TEST_F(UnaryCallsCompletion, TheCallersLearnInTheOrderInWhichTheirCallsHaveEnded) {
  completes = false;
  FakeServer& server = connect();
  TestCall& first = begin("one");
  TestCall& second = begin("two");
  on_loop([&] {
    server.respond(server.calls[1].id, "of two");
    server.respond(server.calls[0].id, "of one");
  });
  EXPECT_EQ(first.completions + second.completions, 0) << "not while events are handled";
  EXPECT_TRUE(calls().ended().has_several());
  EXPECT_EQ(completion_runs, 1);

  calls().complete_one();
  EXPECT_EQ(second.completions, 1);
  EXPECT_EQ(first.completions, 0);
  calls().complete_one();

  EXPECT_EQ(first.text(), "of one");
  EXPECT_TRUE(calls().ended().empty());
}

TEST_F(UnaryCallsCompletion, WhatACallerThrowsIsLoggedAndTheOthersLearn) {
  FakeServer& server = connect();
  TestCall& first = begin("one");
  TestCall& second = begin("two");
  first.then = [] { throw std::runtime_error("of the caller"); };

  on_loop([&] {
    server.respond(server.calls[0].id, "x");
    server.respond(server.calls[1].id, "y");
  });

  EXPECT_EQ(second.completions, 1);
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_THAT(logged[0], HasSubstr("of the caller"));
}

TEST_F(UnaryCallsCompletion, ACallerMayBeginAnotherCall) {
  FakeServer& server = connect();
  TestCall& first = begin("one");
  TestCall& second = make_call("two");
  first.then = [&] { start_here(second); };

  respond(server, "x");
  ASSERT_EQ(server.calls.size(), 2u);
  respond(server, "y");

  EXPECT_EQ(second.text(), "y");
}

TEST_F(UnaryCallsCompletion, SuccessesPayForRetries) {
  FakeServer& server = connect();
  RetryPolicy& retry = calls().retry();
  while (retry.try_take()) {
  }

  for (int i = 0; i < 200 && !retry.try_take(); ++i) {
    begin("x");
    respond(server, "y");
    if (i == 199) FAIL() << "200 successes have paid for nothing";
  }
}

// --- calls that wait for a connection ---

TEST_F(UnaryCallsWaiting, ACallIsSentWhenThereIsRoom) {
  TestCall& call = begin("hello");
  EXPECT_EQ(call.completions, 0);
  EXPECT_GE(connects, 1);
  FakeServer& server = connect();
  EXPECT_TRUE(server.calls.empty());

  have_room();
  respond(server, "answer");

  EXPECT_EQ(server.calls.at(0).payload, "hello");
  EXPECT_EQ(call.text(), "answer");
}

TEST_F(UnaryCallsWaiting, ACallDoesNotOvertakeThoseThatWait) {
  begin("one");
  FakeServer& server = connect();

  begin("two");
  EXPECT_TRUE(server.calls.empty());
  have_room();

  ASSERT_EQ(server.calls.size(), 2u);
  EXPECT_EQ(server.calls[0].payload, "one");
  EXPECT_EQ(server.calls[1].payload, "two");
}

TEST_F(UnaryCallsWaiting, FailsWithTheReasonWhileTheSourceFails) {
  calls();
  is_failing = true;
  last_error = Status(StatusCode::unavailable, "connection refused");

  TestCall& fast = begin("x");
  CallOptions patient;
  patient.wait_for_ready = true;
  TestCall& slow = begin("x", patient);

  EXPECT_EQ(fast.status.message(), "call Echo: connection refused");
  EXPECT_FALSE(fast.status.may_have_run());
  EXPECT_EQ(slow.completions, 0);
}

TEST_F(UnaryCallsWaiting, BeyondTheLimitThePolicyDecides) {
  options.max_pending_calls = 1;
  begin("one");
  EXPECT_EQ(begin("two").status.code(), StatusCode::resource_exhausted);
  for (const auto& call : all) call->then = nullptr;
  on_loop([&] { invoker->fail_pending(Status(StatusCode::cancelled, "x")); });
  made_calls.reset();
  invoker.reset();
  options.pending_policy = PendingPolicy::wait;

  begin("one");
  EXPECT_EQ(begin("two").completions, 0);
  on_loop([&] { invoker->fail_pending(Status(StatusCode::cancelled, "x")); });

  for (const auto& call : all) EXPECT_EQ(call->completions, 1);
}

// --- deadlines ---

TEST_F(UnaryCallsDeadline, ReachesTheServerAndEndsTheCall) {
  FakeServer& server = connect();
  CallOptions limited;
  limited.timeout = 3s;
  TestCall& call = begin("x", limited);
  EXPECT_NE(server.calls.at(0).deadline, base::never);

  advance(2900ms);
  EXPECT_EQ(call.completions, 0);
  advance(200ms);

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(call.status.message(),
            "call Echo: deadline exceeded after 3000 ms waiting for the response of inproc://alone");
}

TEST_F(UnaryCallsDeadline, EndsACallThatWaits) {
  CallOptions limited;
  limited.timeout = 3s;
  TestCall& call = begin("x", limited);

  advance(3100ms);

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::deadline_exceeded);
  EXPECT_THAT(std::string(call.status.message()), HasSubstr("waiting for a connection to inproc://alone"));
  EXPECT_FALSE(call.status.may_have_run());
}

TEST_F(UnaryCallsDeadline, ThatHasPassedKeepsACallFromBeingSent) {
  FakeServer& server = connect();
  CallOptions limited;
  limited.deadline = clock.now() - 1s;

  TestCall& call = begin("x", limited);

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::deadline_exceeded);
  EXPECT_THAT(std::string(call.status.message()), HasSubstr(", before it was sent"));
  EXPECT_FALSE(call.status.may_have_run());
  EXPECT_TRUE(server.calls.empty());
}

TEST_F(UnaryCallsDeadline, IsThatOfTheOptionsUnlessTheCallHasItsOwn) {
  options.default_timeout = 3s;
  connect();
  TestCall& usual = begin("x");
  CallOptions longer;
  longer.timeout = 10s;
  TestCall& own = begin("y", longer);

  advance(4s);

  EXPECT_EQ(usual.status.code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(own.completions, 0);
}

// --- retries ---

TEST_F(UnaryCallsRetry, AnIdempotentCallGoesToAnotherConnectionWhenItsOwnIsLost) {
  FakeServer& second = connect();
  next_given = given;
  FakeServer& first = connect();
  TestCall& call = begin("hello", {.idempotent = true});
  ASSERT_EQ(first.calls.size(), 1u);

  cut(first);
  advance(110ms);

  EXPECT_EQ(call.completions, 0);
  ASSERT_EQ(second.calls.size(), 1u);
  EXPECT_EQ(second.calls[0].payload, "hello");
  respond(second, "answer");
  EXPECT_EQ(call.text(), "answer");
  EXPECT_EQ(call.completions, 1);
}

TEST_F(UnaryCallsRetry, AnotherConnectionIsLookedForAtOnceIfThereIsNone) {
  FakeServer& first = connect();
  TestCall& call = begin("hello", {.idempotent = true});

  cut(first);
  EXPECT_EQ(call.completions, 0);
  EXPECT_GE(connects, 1);
  FakeServer& second = connect();
  have_room();

  EXPECT_EQ(second.calls.size(), 1u) << "no time has passed";
}

TEST_F(UnaryCallsRetry, AMethodMarksItsCallsAsIdempotentToo) {
  FakeServer& second = connect();
  next_given = given;
  FakeServer& first = connect();
  begin("hello", {}, Method("Echo").idempotent());

  cut(first);
  advance(110ms);

  EXPECT_EQ(second.calls.size(), 1u);
}

TEST_F(UnaryCallsRetry, ACallThatMayHaveRunIsNotSentAgain) {
  FakeServer& second = connect();
  next_given = given;
  FakeServer& first = connect();
  TestCall& call = begin("hello");

  cut(first);
  advance(10s);

  EXPECT_TRUE(second.calls.empty());
  EXPECT_EQ(call.status.code(), StatusCode::unavailable);
  EXPECT_TRUE(call.status.may_have_run());
}

TEST_F(UnaryCallsRetry, ACallThatHasNotRunIsSentAgainAfterAPause) {
  FakeServer& server = connect();
  TestCall& call = begin("hello");

  refuse(server, not_taken, true);
  EXPECT_EQ(server.calls.size(), 1u) << "a busy server is given time";
  EXPECT_EQ(call.completions, 0);
  advance(110ms);

  ASSERT_EQ(server.calls.size(), 2u);
  EXPECT_EQ(server.calls[1].payload, "hello");
  respond(server, "answer");
  EXPECT_EQ(call.text(), "answer");
}

TEST_F(UnaryCallsRetry, EndsAfterMaxRetries) {
  options.max_retries = 2;
  FakeServer& server = connect();
  TestCall& call = begin("hello");

  for (int i = 0; i < 3; ++i) {
    refuse(server, not_taken, true);
    advance(1s);
  }

  EXPECT_EQ(server.calls.size(), 3u);
  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::unavailable);
  EXPECT_FALSE(call.status.may_have_run());
}

TEST_F(UnaryCallsRetry, AnOrderedChannelRetriesNothing) {
  options.ordered = true;
  FakeServer& server = connect();
  TestCall& call = begin("hello", {.idempotent = true});

  refuse(server, not_taken, true);
  advance(10s);

  EXPECT_EQ(server.calls.size(), 1u);
  EXPECT_EQ(call.completions, 1);
}

TEST_F(UnaryCallsRetry, AOneWayCallIsNeverRetried) {
  FakeServer& server = connect();
  TestCall& call = make_call("x");
  call.one_way = true;
  start(call, {.idempotent = true});

  cut(server);

  EXPECT_EQ(call.completions, 1);
  EXPECT_TRUE(call.status.is_ok());
}

TEST_F(UnaryCallsRetry, ALongRequestIsHeldOnlyForAnIdempotentCall) {
  options.max_retained_request_bytes = 1000;
  FakeServer& server = connect();
  for (const bool is_idempotent : {false, true}) {
    const std::string longer(2000, 'x');
    const std::size_t before = server.calls.size();
    TestCall& call = begin(longer, {.idempotent = is_idempotent});

    refuse(server, not_taken, true);
    advance(110ms);

    EXPECT_EQ(server.calls.size() - before, is_idempotent ? 2u : 1u);
    EXPECT_EQ(server.calls.back().payload, longer);
    EXPECT_EQ(call.completions, is_idempotent ? 0 : 1);
  }
}

TEST_F(UnaryCallsRetry, RequestsOfEachLengthThatIsHeldAreSentAgainWhole) {
  options.max_retained_request_bytes = 100000;
  FakeServer& server = connect();
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{48}, std::size_t{49}, std::size_t{4096}, std::size_t{4097}, std::size_t{100000}}) {
    const std::size_t before = server.calls.size();
    const std::string request(size, 'r');
    TestCall& call = begin(request);
    call.sent = "changed";
    refuse(server, not_taken, true);
    advance(110ms);

    ASSERT_EQ(server.calls.size() - before, 2u) << size;
    EXPECT_EQ(server.calls[before].payload, request) << size;
    EXPECT_EQ(server.calls[before + 1].payload, request) << size;
    respond(server, "answer");
    EXPECT_EQ(call.text(), "answer");
  }
}

TEST_F(UnaryCallsRetry, TheRequestOfAThreadThatWaitsIsAtHandAtAnyLength) {
  options.max_retained_request_bytes = 0;
  FakeServer& server = connect();
  TestCall& call = make_call(std::string(5000, 'x'));
  call.request_stays = true;
  start(call);

  refuse(server, not_taken, true);
  advance(110ms);

  ASSERT_EQ(server.calls.size(), 2u);
  EXPECT_EQ(server.calls[1].payload, call.sent);
  respond(server, "answer");
  EXPECT_EQ(call.text(), "answer");
}

TEST_F(UnaryCallsRetry, ARequestThatIsNotHeldIsNotRetried) {
  options.max_retained_request_bytes = 0;
  FakeServer& server = connect();
  TestCall& call = begin("x");

  refuse(server, not_taken, true);
  advance(10s);

  EXPECT_EQ(server.calls.size(), 1u);
  EXPECT_EQ(call.completions, 1);
}

TEST_F(UnaryCallsRetry, AnEarlierAttemptThatMayHaveRunIsNotForgotten) {
  options.max_retries = 1;
  FakeServer& second = connect();
  next_given = given;
  FakeServer& first = connect();
  TestCall& call = begin("hello", {.idempotent = true});
  cut(first);
  advance(110ms);
  ASSERT_EQ(second.calls.size(), 1u);

  refuse(second, not_taken, true);

  EXPECT_EQ(call.completions, 1);
  EXPECT_TRUE(call.status.may_have_run());
}

TEST_F(UnaryCallsRetry, AClosedChannelRetriesNothing) {
  FakeServer& server = connect();
  TestCall& call = begin("hello");
  lifecycle.on(ChannelLifecycle::Event::close);

  refuse(server, not_taken, true);

  EXPECT_EQ(call.completions, 1) << "it does not wait for a retry that would be refused";
  EXPECT_EQ(call.status.code(), StatusCode::unavailable);
  EXPECT_EQ(server.calls.size(), 1u);
}

TEST_F(UnaryCallsRetry, LeadingMetadataOfAFailedAttemptIsForgotten) {
  FakeServer& server = connect();
  ResponseInfo info;
  CallOptions with_info;
  with_info.response_info = &info;
  with_info.idempotent = true;
  FakeServer& second = connect();
  next_given = given;
  given = connections[0].get();
  TestCall& call = begin("x", with_info);
  Metadata leading;
  leading.add("first", "1");
  on_loop([&] { server.send_leading(server.calls[0].id, leading); });

  cut(server);
  advance(110ms);
  ASSERT_EQ(second.calls.size(), 1u);
  respond(second, "answer");

  EXPECT_EQ(call.text(), "answer");
  EXPECT_TRUE(info.leading.empty());
}

TEST_F(UnaryCallsRetry, ADeadlineEndsThePause) {
  options.backoff.initial = 10s;
  FakeServer& server = connect();
  CallOptions limited;
  limited.timeout = 1s;
  TestCall& call = begin("x", limited);
  refuse(server, not_taken, true);

  advance(1100ms);

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::deadline_exceeded);
  EXPECT_FALSE(call.status.may_have_run());
}

// --- interceptors ---

TEST_F(UnaryCallsInterception, SeesTheCallBeforeItIsSentAndAfterItsEnd) {
  intercept();
  std::vector<std::string> seen;
  on_start = [&](CallInfo& call) {
    seen.push_back("start " + std::string(call.method) + " " + std::string(call.peer));
    call.metadata->add("added", "here");
    return Status();
  };
  on_finish = [&](CallInfo& call, Status& status) {
    seen.push_back("finish " + std::string(call.peer) + " " + std::string(call.metadata->get("last").value_or("")) +
                   " " + std::string(to_string(status.code())));
  };
  FakeServer& server = connect();
  TestCall& call = begin("x");
  EXPECT_EQ(server.calls.at(0).metadata.get("added"), "here");
  Metadata trailing;
  trailing.add("last", "2");
  call.then = [&] { seen.emplace_back("caller"); };

  on_loop([&] { server.respond(server.calls[0].id, "answer", &trailing); });

  EXPECT_EQ(seen, (std::vector<std::string>{"start Echo ", "finish inproc://alone 2 ok", "caller"}));
}

TEST_F(UnaryCallsInterception, ThatRefusesKeepsTheCallFromBeingSent) {
  intercept();
  int finishes = 0;
  on_start = [](CallInfo&) { return Status(StatusCode::permission_denied, "not now"); };
  on_finish = [&](CallInfo&, Status&) { ++finishes; };
  FakeServer& server = connect();

  TestCall& call = begin("x");

  EXPECT_EQ(call.status.code(), StatusCode::permission_denied);
  EXPECT_FALSE(call.status.may_have_run());
  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(finishes, 1);
  EXPECT_TRUE(server.calls.empty());
}

TEST_F(UnaryCallsInterception, MayReplaceTheStatusAndMoveTheDeadline) {
  intercept();
  on_start = [&](CallInfo& call) { return call.deadline = clock.now() + 2s, Status(); };
  on_finish = [](CallInfo&, Status& status) {
    if (!status.is_ok()) status = Status(StatusCode::aborted, "replaced");
  };
  connect();
  TestCall& call = begin("x");

  advance(2100ms);

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status, Status(StatusCode::aborted, "replaced"));
}

TEST_F(UnaryCallsInterception, SeesACallThatIsRetriedOnce) {
  intercept();
  int starts = 0;
  int finishes = 0;
  on_start = [&](CallInfo&) { return ++starts, Status(); };
  on_finish = [&](CallInfo&, Status&) { ++finishes; };
  FakeServer& server = connect();
  begin("x");
  refuse(server, not_taken, true);
  advance(110ms);

  respond(server, "answer");

  EXPECT_EQ(server.calls.size(), 2u);
  EXPECT_EQ(starts, 1);
  EXPECT_EQ(finishes, 1);
}

// --- the service config ---

TEST_F(UnaryCallsConfigured, LimitsTheTime) {
  configure(R"("timeout": "1s")");
  connect();
  CallOptions longer;
  longer.timeout = 10s;
  TestCall& call = begin("x", longer);

  advance(1100ms);

  EXPECT_EQ(call.status.code(), StatusCode::deadline_exceeded);
}

TEST_F(UnaryCallsConfigured, LimitsRequestsAndResponses) {
  configure(R"("maxRequestMessageBytes": 10, "maxResponseMessageBytes": 5)");
  FakeServer& server = connect();

  TestCall& too_long = begin("12345678901");
  EXPECT_EQ(too_long.status.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(too_long.status.message(),
            "call Echo: the request has 11 bytes, maxRequestMessageBytes of the service config is 10");
  EXPECT_FALSE(too_long.status.may_have_run());
  TestCall& stays = make_call("12345678901");
  stays.request_stays = true;
  start(stays);
  EXPECT_EQ(stays.status.code(), StatusCode::resource_exhausted);
  EXPECT_TRUE(server.calls.empty());
  TestCall& call = begin("1234567890");
  respond(server, "123456");

  EXPECT_EQ(call.status.code(), StatusCode::resource_exhausted);
  EXPECT_THAT(std::string(call.status.message()), HasSubstr("the response has 6 bytes"));
  EXPECT_EQ(call.completions, 1);
}

TEST_F(UnaryCallsConfigured, MayMakeCallsWaitForTheServer) {
  configure(R"("waitForReady": true)");
  calls();
  is_failing = true;

  EXPECT_EQ(begin("x").completions, 0);
}

TEST_F(UnaryCallsConfigured, ACallThatWaitsLearnsOfANewConfig) {
  TestCall& call = begin("x");

  on_loop([&] { rules->update(R"({"methodConfig": [{"name": [{}], "timeout": "1s"}]})"); });
  advance(1100ms);

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::deadline_exceeded);
}

TEST_F(UnaryCallsConfigured, ACallThatWaitsAndIsTooLongByANewConfigIsNotSent) {
  TestCall& call = begin("12345678901");
  on_loop([&] { rules->update(R"({"methodConfig": [{"name": [{}], "maxRequestMessageBytes": 10}]})"); });
  FakeServer& server = connect();

  have_room();

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::resource_exhausted);
  EXPECT_FALSE(call.status.may_have_run());
  EXPECT_TRUE(server.calls.empty());
}

const char* const retries_of_aborted =
    R"("retryPolicy": {"maxAttempts": 3, "initialBackoff": "1s", "maxBackoff": "4s", "backoffMultiplier": 2,
                       "retryableStatusCodes": ["ABORTED"], "perAttemptRecvTimeout": "2s"})";

TEST_F(UnaryCallsConfigured, RetriesTheCodesThatItLists) {
  configure(retries_of_aborted);
  FakeServer& server = connect();
  TestCall& call = begin("x");

  refuse(server, Status(StatusCode::aborted, "conflict"));
  EXPECT_EQ(call.completions, 0);
  advance(1300ms);
  ASSERT_EQ(server.calls.size(), 2u);
  refuse(server, handler_error);

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::not_found) << "a code that is not listed";
}

TEST_F(UnaryCallsConfigured, AnAttemptThatTakesTooLongIsGivenUpForAnother) {
  configure(retries_of_aborted);
  FakeServer& server = connect();
  TestCall& call = begin("x");

  advance(2100ms);
  EXPECT_EQ(server.cancelled.size(), 1u);
  EXPECT_EQ(call.completions, 0);
  advance(1300ms);
  ASSERT_EQ(server.calls.size(), 2u);
  respond(server, "answer");

  EXPECT_EQ(call.text(), "answer");
}

TEST_F(UnaryCallsConfigured, TheLastAttemptThatTakesTooLongEndsTheCall) {
  configure(retries_of_aborted);
  FakeServer& server = connect();
  TestCall& call = begin("x");

  for (int i = 0; i < 200; ++i) advance(100ms);

  EXPECT_EQ(server.calls.size(), 3u);
  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(call.status.message(), "call Echo: no response of inproc://alone after 2000 ms, the last attempt");
}

TEST_F(UnaryCallsConfigured, AResponseThatHasBegunHasAllTheTimeAndIsNotRepeated) {
  configure(retries_of_aborted);
  FakeServer& server = connect();
  TestCall& call = begin("x");
  Metadata leading;
  leading.add("first", "1");
  on_loop([&] { server.send_leading(server.calls[0].id, leading); });

  advance(10s);
  EXPECT_EQ(call.completions, 0);
  refuse(server, Status(StatusCode::aborted, "conflict"));
  advance(10s);

  EXPECT_EQ(server.calls.size(), 1u);
  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::aborted);
}

// --- hedging ---

class UnaryCallsHedging : public UnaryCallsTest {
 protected:
  UnaryCallsHedging() {
    configure(R"("hedgingPolicy": {"maxAttempts": 2, "hedgingDelay": "0.1s", "nonFatalStatusCodes": ["ABORTED"]})");
  }
};

TEST_F(UnaryCallsHedging, TheFirstResponseCountsAndTheOtherAttemptIsCancelled) {
  FakeServer& server = connect();
  TestCall& call = begin("hello");
  ASSERT_EQ(server.calls.size(), 1u);
  advance(110ms);
  ASSERT_EQ(server.calls.size(), 2u);
  EXPECT_EQ(server.calls[1].payload, "hello");

  on_loop([&] { server.respond(server.calls[1].id, "second"); });

  EXPECT_EQ(call.text(), "second");
  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(server.cancelled, std::vector<session::CallId>{server.calls[0].id});
}

TEST_F(UnaryCallsHedging, AResponseAheadOfItsStatusCounts) {
  FakeServer& server = connect();
  TestCall& call = begin("hello");
  advance(110ms);
  ASSERT_EQ(server.calls.size(), 2u);

  on_loop([&] { server.send(server.calls[1].id, "second"); });
  EXPECT_EQ(server.cancelled, std::vector<session::CallId>{server.calls[0].id});
  EXPECT_EQ(call.completions, 0);
  on_loop([&] {
    static_cast<void>(server.session().finish(server.calls[1].id, Status(), {}, nullptr, false));
    server.refuse(server.calls[1].id, Status(), false);
  });

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.text(), "second");
}

TEST_F(UnaryCallsHedging, CancellationEndsAllAttempts) {
  FakeServer& server = connect();
  TestCall& call = begin_numbered("hello");
  advance(110ms);
  ASSERT_EQ(server.calls.size(), 2u);

  cancel(call);

  EXPECT_EQ(server.cancelled.size(), 2u);
  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::cancelled);
  EXPECT_TRUE(call.status.may_have_run());
  advance(10s);
  EXPECT_EQ(call.completions, 1);
}

TEST_F(UnaryCallsHedging, OneWayCallsAreNotHedged) {
  FakeServer& server = connect();
  TestCall& call = make_call("x");
  call.one_way = true;
  start(call);

  advance(1s);

  EXPECT_EQ(server.calls.size(), 1u);
  EXPECT_EQ(call.completions, 1);
}

TEST_F(UnaryCallsHedged, TheOptionsHedgeIdempotentCallsOnly) {
  options.hedging = HedgingOptions{.max_attempts = 2, .delay = 100ms, .max_extra = 4};
  FakeServer& server = connect();
  begin("x");
  advance(150ms);
  EXPECT_EQ(server.calls.size(), 1u);

  begin("y", {.idempotent = true});
  advance(150ms);

  EXPECT_EQ(server.calls.size(), 3u);
}

// --- cancellation ---

TEST_F(UnaryCallsCancel, EachCallHasItsNumber) {
  const std::uint64_t first = calls().next_cancel_number();

  EXPECT_NE(first, 0u);
  EXPECT_EQ(calls().next_cancel_number(), first + 1);
}

TEST_F(UnaryCallsCancel, AnOpenCallEndsHereAndAtTheServer) {
  FakeServer& server = connect();
  TestCall& call = begin_numbered("x");

  cancel(call);

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status, Status(StatusCode::cancelled, "call Echo: cancelled by the caller"));
  EXPECT_TRUE(call.status.may_have_run());
  EXPECT_EQ(server.cancelled, std::vector<session::CallId>{server.calls.at(0).id});
  EXPECT_EQ(connections[0]->open_calls(), 0u);
  respond(server, "too late");
  EXPECT_EQ(call.completions, 1);
}

TEST_F(UnaryCallsCancel, ACallOfTheFastPathIsCancelledByItself) {
  FakeServer& server = connect();
  TestCall& call = begin("x");

  on_loop([&] { calls().cancel(call); });

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::cancelled);
  EXPECT_EQ(server.cancelled.size(), 1u);
}

TEST_F(UnaryCallsCancel, ACallThatWaitsLeavesTheQueue) {
  TestCall& call = begin_numbered("x");

  cancel(call);
  FakeServer& server = connect();
  have_room();

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::cancelled);
  EXPECT_FALSE(call.status.may_have_run());
  EXPECT_TRUE(server.calls.empty());
  EXPECT_FALSE(invoker->has_work_left());
}

TEST_F(UnaryCallsCancel, ACallInThePauseBeforeARetryIsNotSentAgain) {
  FakeServer& server = connect();
  TestCall& call = begin_numbered("x");
  refuse(server, not_taken, true);

  cancel(call);
  advance(10s);

  EXPECT_EQ(call.completions, 1);
  EXPECT_FALSE(call.status.may_have_run());
  EXPECT_EQ(server.calls.size(), 1u);
}

TEST_F(UnaryCallsCancel, ACallInThePauseMayHaveRunBefore) {
  configure(retries_of_aborted);
  FakeServer& server = connect();
  TestCall& call = begin_numbered("x");
  refuse(server, Status(StatusCode::aborted, "conflict"));

  cancel(call);

  EXPECT_EQ(call.completions, 1);
  EXPECT_TRUE(call.status.may_have_run());
}

TEST_F(UnaryCallsCancel, StopsTheTimeOfTheAttempt) {
  configure(retries_of_aborted);
  FakeServer& server = connect();
  TestCall& call = begin_numbered("x");

  cancel(call);
  advance(10s);

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(server.calls.size(), 1u);
}

TEST_F(UnaryCallsCancel, OfACallThatHasEndedDoesNothing) {
  completes = false;
  FakeServer& server = connect();
  TestCall& call = begin_numbered("x");
  respond(server, "answer");

  cancel(call);
  on_loop([&] { calls().complete_all(); });
  EXPECT_EQ(call.text(), "answer") << "the outcome was settled";
  cancel(call);
  on_loop([&] { calls().cancel(12345); });

  EXPECT_EQ(call.completions, 1);
  EXPECT_TRUE(server.cancelled.empty());
}

TEST_F(UnaryCallsCancel, InterceptorsSeeIt) {
  intercept();
  StatusCode seen = StatusCode::ok;
  on_finish = [&](CallInfo&, Status& status) { seen = status.code(); };
  connect();
  TestCall& call = begin_numbered("x");

  cancel(call);

  EXPECT_EQ(seen, StatusCode::cancelled);
}

// --- a channel that has left its loop ---

TEST_F(UnaryCallsDetached, ACallEndsAtOnceAndCompletesWhenItIsAskedFor) {
  calls();
  lifecycle.on(ChannelLifecycle::Event::detach);

  TestCall& call = begin_elsewhere("x");
  EXPECT_EQ(call.completions, 0);
  EXPECT_FALSE(calls().ended().empty());
  calls().complete_all();

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::failed_precondition);
  EXPECT_EQ(completion_runs, 0) << "no loop runs for it";
}

TEST_F(UnaryCallsDetached, CallsThatCallersBeginMeanwhileAreCompletedToo) {
  calls();
  lifecycle.on(ChannelLifecycle::Event::detach);
  TestCall& first = begin_elsewhere("x");
  TestCall& second = make_call("y");
  first.then = [&] { start_here(second); };

  calls().complete_all();

  EXPECT_EQ(second.completions, 1);
  EXPECT_TRUE(calls().ended().empty());
}

TEST_F(UnaryCallsDetached, ACallThatWasOnItsWayCompletesWithTheTask) {
  calls();
  completes = false;
  TestCall& call = begin_elsewhere("x");
  lifecycle.on(ChannelLifecycle::Event::detach);

  settle();

  EXPECT_EQ(call.completions, 1);
  EXPECT_EQ(call.status.code(), StatusCode::failed_precondition);
  EXPECT_EQ(completion_runs, 0);
}

}  // namespace

}  // namespace trunkline::client
