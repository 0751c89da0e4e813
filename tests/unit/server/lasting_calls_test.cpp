// SPDX-License-Identifier: MIT
// LastingCalls alone, on a session that records: every stage of a call, how it ends there, and what is left behind.
#include "unit/server/exchange_fixture.h"
#include "unit/server/gate.h"

#include <trunkline/detail/stream_handler.h>
#include <trunkline/interceptor.h>

#include <asio/async_result.hpp>
#include <asio/this_coro.hpp>

#include <future>
#include <new>
#include <optional>
#include <stdexcept>

namespace trunkline::server {

namespace {

using namespace std::chrono_literals;

using LastingText = std::string;
using LastingStream = ServerStream<LastingText, LastingText>;

class LastingCallsTest : public ExchangeFixture {
 protected:
  /// Ends what a test has left, as a server that stops does.
  void TearDown() override {
    if (made_link == nullptr) return;
    made_link->is_gone = true;
    context->calls().visit([](ServerCall& call) { call.owner->on_detached(call); });
    context->calls().visit([](ServerCall& call) { call.owner->on_stopped(call); });
    settle();
    state->workers.stop();
    settle();
    EXPECT_EQ(context->calls().in_use(), 0u);
  }

  struct Hooked final : Interceptor {
    explicit Hooked(LastingCallsTest& of_test) noexcept : test(of_test) {}
    Status on_start(CallInfo&) override {
      test.journal().emplace_back("on_start");
      return test.start_status;
    }
    void on_finish(CallInfo&, Status& status) override {
      test.journal().push_back("on_finish " + std::string(to_string(status.code())));
      if (test.on_finish) test.on_finish(status);
    }
    LastingCallsTest& test;
  };
  void make_intercepted() {
    ServerOptions options;
    options.interceptors.push_back(std::make_shared<Hooked>(*this));
    make(std::move(options));
  }

  // --- handlers ---

  /// A coroutine that waits at the gate and then echoes.
  LoopMethod& waiting(std::string_view name = "Wait", MethodOptions options = {}) {
    return handle<LastingText, LastingText>(
        name,
        [this](const LastingText& request, ServerContext&) -> asio::awaitable<LastingText> {
          journal().push_back("begin " + request);
          co_await gate.pass();
          co_return request;
        },
        options);
  }
  /// A coroutine that takes no notice of its cancellation.
  LoopMethod& stubborn() {
    return handle<LastingText, LastingText>(
        "Stubborn", [this](const LastingText& request, ServerContext&) -> asio::awaitable<LastingText> {
          co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
          co_await gate.pass();
          co_return request;
        });
  }
  LoopMethod& plain() {
    return handle<LastingText, LastingText>("Plain", [this](const LastingText& request, ServerContext&) {
      journal().push_back("begin " + request);
      return request;
    });
  }
  template <template <class, class, class> class Handler, class Function>
  LoopMethod& stream(std::string_view name, Function function) {
    return add(name, std::make_unique<Handler<LastingText, LastingText, Function>>(std::move(function)));
  }
  LoopMethod& waiting_stream() {
    return stream<detail::StreamHandler>("Stream",
                                         [this](LastingStream&, ServerContext& shown) -> asio::awaitable<Status> {
                                           shown.add_trailing_metadata("last", "2");
                                           co_await gate.pass();
                                           co_return Status::ok();
                                         });
  }

  // --- events ---

  LastingCalls& lasting() { return link().lasting; }
  /// Admits and opens a call as the connection does.
  void open(LoopMethod& method, session::Event& event) {
    on_loop([&] {
      Admission& admission = state->admission;
      const bool starts_now = LastingCalls::is_ready(event, method) && !admission.is_full(link().running);
      lasting().open(event, method,
                     starts_now
                         ? admission.admit(method.method(), link().running, lasting().traits_of(event.metadata, method))
                         : CallPermit());
    });
  }
  ServerCall& open(LoopMethod& method, std::string_view payload, session::CallId id = 1) {
    session::Event event = call_event(payload, id);
    open(method, event);
    return call_of(id);
  }
  /// Opens a call whose request has not come.
  ServerCall& open_unfinished(LoopMethod& method, session::CallId id = 1) {
    session::Event event;
    event.type = session::EventType::call;
    event.id = id;
    open(method, event);
    return call_of(id);
  }
  /// The call, unless it has ended, when another call's object is returned that nobody should use.
  ServerCall& call_of(session::CallId id) {
    const auto found = recorded().attached.find(id);
    return found == recorded().attached.end() ? no_call : *static_cast<ServerCall*>(found->second);
  }
  void message(ServerCall& call, std::optional<std::string_view> payload, bool end) {
    session::Event event;
    event.type = session::EventType::message;
    event.id = call.id;
    event.context = &call;
    event.end = end;
    if (payload) fill(event, *payload);
    on_loop([&] { lasting().on_message(event); });
  }
  /// The session gives up the call. With `needs_finish` it still wants a response in turn.
  void cancel(ServerCall& call, const Status& status, bool needs_finish = false) {
    session::Event event;
    event.type = session::EventType::cancelled;
    event.id = call.id;
    event.context = &call;
    event.status = status;
    event.needs_finish = needs_finish;
    if (!needs_finish) recorded().attached.erase(call.id);
    on_loop([&] { lasting().on_cancelled(event); });
  }
  void open_gate() {
    on_loop([&] { gate.open(); });
  }

  // --- what is left ---

  void expect_nothing_left() {
    EXPECT_EQ(context->calls().in_use(), 0u);
    EXPECT_EQ(totals().open_calls.value(), 0u);
    EXPECT_EQ(link().running.running, 0u) << "a permit";
    EXPECT_EQ(lasting().background_calls(), 0u);
    EXPECT_FALSE(lasting().must_keep_order());
    EXPECT_EQ(made_link.use_count(), 1) << "an owner of the connection";
  }
  struct Counts {
    std::uint64_t started = 0, ok = 0, failed = 0, cancelled = 0, refused = 0, exceptions = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
    friend void PrintTo(const Counts& counts, std::ostream* out) {
      *out << "started " << counts.started << ", ok " << counts.ok << ", failed " << counts.failed << ", cancelled "
           << counts.cancelled << ", refused " << counts.refused << ", exceptions " << counts.exceptions;
    }
  };
  Counts counts() {
    return {.started = totals().calls_started.value(),
            .ok = totals().calls_ok.value(),
            .failed = totals().calls_failed.value(),
            .cancelled = totals().calls_cancelled.value(),
            .refused = totals().calls_refused.value(),
            .exceptions = totals().handler_exceptions.value()};
  }
  const FinishedCall& only_finished() {
    static const FinishedCall none{};
    EXPECT_EQ(recorded().finished.size(), 1u);
    return recorded().finished.empty() ? none : recorded().finished.front();
  }

  Gate gate{loop};
  Status start_status;
  std::function<void(Status&)> on_finish;
  ServerCall no_call;
  const Status by_client{StatusCode::cancelled, "cancelled by the client"};
};

using LastingCallsRun = LastingCallsTest;
using LastingCallsRequest = LastingCallsTest;
using LastingCallsCancel = LastingCallsTest;
using LastingCallsResponse = LastingCallsTest;
using LastingCallsStop = LastingCallsTest;
using LastingCallsTurns = LastingCallsTest;
using LastingCallsPlaces = LastingCallsTest;
using LastingCallsStreams = LastingCallsTest;
using LastingCallsDrain = LastingCallsTest;
using LastingCallsInterception = LastingCallsTest;
using LastingCallsFacts = LastingCallsTest;
using LastingCallsMemory = LastingCallsTest;

// --- how a handler runs ---

TEST_F(LastingCallsRun, ACoroutineRunsUntilItHasAResponse) {
  const ServerCall& call = open(waiting(), "hello");

  EXPECT_EQ(call.stage, CallStage::running);
  EXPECT_TRUE(recorded().finished.empty());
  EXPECT_EQ(totals().open_calls.value(), 1u);
  EXPECT_EQ(link().running.running, 1u);
  open_gate();

  EXPECT_TRUE(only_finished().status.is_ok());
  EXPECT_EQ(only_finished().payload, "hello");
  EXPECT_FALSE(only_finished().unprocessed);
  EXPECT_EQ(journal(), (std::vector<std::string>{"begin hello", "finish 1", "call ended"}));
  EXPECT_EQ(link().flushes, 1);
  EXPECT_EQ(counts(), (Counts{.started = 1, .ok = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsRun, TheObjectOfACallServesTheNextOne) {
  const ServerCall* const first = &open(waiting(), "one");
  open_gate();

  open(plain(), "two", 2);

  EXPECT_EQ(context->calls().free(), 1u) << first;
  EXPECT_EQ(recorded().finished.back().payload, "two");
  expect_nothing_left();
}

TEST_F(LastingCallsRun, AHandlerThatFailsSendsItsStatusAndMetadata) {
  LoopMethod& method =
      handle<LastingText, Empty>("Fail", [](const LastingText&, ServerContext& shown) -> asio::awaitable<Status> {
        shown.add_leading_metadata("first", "1");
        shown.add_trailing_metadata("last", "2");
        co_return Status(StatusCode::not_found, "no such thing");
      });

  open(method, "x");

  EXPECT_EQ(only_finished().status, Status(StatusCode::not_found, "no such thing"));
  EXPECT_FALSE(only_finished().has_message);
  EXPECT_FALSE(only_finished().unprocessed);
  EXPECT_EQ(only_finished().trailing.get("last"), "2");
  ASSERT_EQ(recorded().sent.size(), 1u);
  EXPECT_EQ(recorded().sent[0].leading.get("first"), "1");
  EXPECT_EQ(counts(), (Counts{.started = 1, .failed = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsRun, ACoroutineThatThrowsEndsItsCallAsInternal) {
  LoopMethod& method =
      handle<LastingText, LastingText>("Throw", [](const LastingText&, ServerContext&) -> asio::awaitable<LastingText> {
        throw std::runtime_error("secret");
        co_return LastingText();
      });

  open(method, "x");

  EXPECT_EQ(only_finished().status, Status(StatusCode::internal, "handler of Throw threw an exception"));
  EXPECT_EQ(counts(), (Counts{.started = 1, .failed = 1, .exceptions = 1}));
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0].message, "handler of Throw threw an exception: secret");
  expect_nothing_left();
}

/// A handler that throws before it has made a coroutine.
class ThrowingStarter final : public MethodHandler {
 public:
  explicit ThrowingStarter(MethodShape shape) : MethodHandler(std::move(shape)) {}
  std::unique_ptr<CallMessages> make_messages() const override {
    return std::make_unique<detail::TypedMessages<LastingText, LastingText>>();
  }
  asio::awaitable<Status> run_async(CallMessages&, ServerContext&) override { throw std::bad_alloc(); }
};

TEST_F(LastingCallsRun, AFunctionThatThrowsInsteadOfACoroutineEndsItsCallToo) {
  LoopMethod& method = add("Throw", std::make_unique<ThrowingStarter>(detail::method_shape<LastingText, LastingText>(
                                        MethodKind::unary, Execution::coroutine, false)));

  open(method, "x");

  EXPECT_EQ(only_finished().status.code(), StatusCode::internal);
  EXPECT_FALSE(only_finished().unprocessed);
  EXPECT_EQ(counts(), (Counts{.started = 1, .failed = 1, .exceptions = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsRun, ACoroutineThatIsDestroyedBeforeItsEndFailsTheCall) {
  LoopMethod& method =
      handle<LastingText, LastingText>("Lose", [](const LastingText&, ServerContext&) -> asio::awaitable<LastingText> {
        co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
            [](auto handler) { const auto lost = std::move(handler); }, asio::use_awaitable);
        co_return LastingText();
      });

  open(method, "x");

  EXPECT_EQ(only_finished().status,
            Status(StatusCode::internal, "call Lose: the handler was destroyed without a response"));
  EXPECT_EQ(counts(), (Counts{.started = 1, .failed = 1}));
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0].method, "Lose");
  expect_nothing_left();
}

TEST_F(LastingCallsRun, ACallThatCannotBeAttachedLeavesNothingBehind) {
  LoopMethod& method = waiting();
  session::Event event = call_event("x");
  recorded().on_attach = [] { throw std::bad_alloc(); };

  EXPECT_THROW(lasting().open(event, method, state->admission.admit(method.method(), link().running)), std::bad_alloc);

  EXPECT_EQ(counts(), Counts{});
  EXPECT_TRUE(recorded().finished.empty()) << "the session ends a call that nobody has taken";
  expect_nothing_left();
}

TEST_F(LastingCallsRun, ACallThatCannotBeAttachedTakesNoTurn) {
  lasting().set_ordered();
  recorded().on_attach = [] { throw std::bad_alloc(); };
  session::Event event = call_event("x");

  EXPECT_THROW(lasting().refuse_in_order(event, Status(StatusCode::unimplemented, "no such method"), false),
               std::bad_alloc);

  EXPECT_FALSE(lasting().must_keep_order());
  EXPECT_EQ(counts(), Counts{});
  recorded().on_attach = nullptr;
  open(plain(), "after", 2);
  EXPECT_EQ(only_finished().payload, "after");
  expect_nothing_left();
}

TEST_F(LastingCallsRun, AHandlerMayShedItsCall) {
  LoopMethod& method = handle<LastingText, Empty>(
      "Shed",
      [](const LastingText&, ServerContext& shown) -> asio::awaitable<Status> { co_return shown.shed("it is busy"); });

  open(method, "x");

  EXPECT_EQ(only_finished().status.code(), StatusCode::unavailable);
  EXPECT_TRUE(only_finished().unprocessed);
  EXPECT_EQ(counts(), (Counts{.refused = 1}));
  EXPECT_EQ(state->admission.shedding().calls_shed(), 1u);
  expect_nothing_left();
}

TEST_F(LastingCallsRun, TheMetricsOfTheMethodCountTheCall) {
  make();
  context->metrics().start();
  LoopMethod& method = waiting();
  open(method, "hello");
  clock.advance(5ms);
  open_gate();
  context->metrics().stop();

  base::Histogram latency;
  method.metrics->latency.add_to(latency);
  EXPECT_EQ(method.metrics->started.value(), 1u);
  EXPECT_EQ(method.metrics->bytes_received.value(), 5u);
  EXPECT_EQ(method.metrics->bytes_sent.value(), 5u);
  EXPECT_EQ(method.metrics->finished[static_cast<std::size_t>(StatusCode::ok)].value(), 1u);
  EXPECT_EQ(latency.count(), 1u);
}

// --- the request ---

TEST_F(LastingCallsRequest, TheHandlerBeginsWhenTheWholeRequestIsThere) {
  ServerCall& call = open_unfinished(plain());

  EXPECT_EQ(call.stage, CallStage::awaiting_request);
  EXPECT_EQ(link().running.running, 0u) << "nothing runs yet";
  message(call, "hello", false);
  EXPECT_TRUE(journal().empty()) << "a second request would be lost";
  message(call, std::nullopt, true);

  EXPECT_EQ(journal(), (std::vector<std::string>{"begin hello", "finish 1", "call ended"}));
  EXPECT_EQ(counts(), (Counts{.started = 1, .ok = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsRequest, TheCreditOfARequestThatIsNotEndedIsKeptUntilTheHandlerBegins) {
  ServerCall& call = open_unfinished(plain());
  session::Event event;
  event.type = session::EventType::message;
  event.context = &call;
  fill(event, "hello");

  on_loop([&] { lasting().on_message(event); });

  EXPECT_TRUE(event.is_retained);
  EXPECT_FALSE(event.is_queued) << "it delays no other call";
  EXPECT_TRUE(recorded().released.empty());
  message(call, std::nullopt, true);
  EXPECT_EQ(recorded().released, std::vector<session::CallId>{1});
  EXPECT_TRUE(recorded().released_queued.empty());
  expect_nothing_left();
}

TEST_F(LastingCallsRequest, TheCreditOfAWholeRequestIsNotKept) {
  session::Event event = call_event("hello");

  open(waiting(), event);

  EXPECT_FALSE(event.is_retained);
  EXPECT_FALSE(event.is_queued);
  open_gate();
  EXPECT_TRUE(recorded().released.empty());
  expect_nothing_left();
}

TEST_F(LastingCallsRequest, ASecondRequestRefusesAUnaryCall) {
  ServerCall& call = open_unfinished(plain());
  message(call, "one", false);

  message(call, "two", false);

  EXPECT_EQ(only_finished().status,
            Status(StatusCode::unimplemented,
                   "call Plain: the method is unary, and was called with a stream of requests, as a client_stream or "
                   "bidirectional method is"));
  EXPECT_TRUE(only_finished().unprocessed);
  EXPECT_EQ(recorded().released, std::vector<session::CallId>{1});
  EXPECT_EQ(counts(), (Counts{.refused = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsRequest, OneThatDoesNotDecodeIsRefused) {
  const ScriptedCodec broken([] { return Status(StatusCode::invalid_argument, "not parsed"); });
  session::Event event = call_event("x");
  event.codec = &broken;

  open(waiting(), event);

  EXPECT_EQ(only_finished().status, Status(StatusCode::invalid_argument, "call Wait: not parsed"));
  EXPECT_TRUE(only_finished().unprocessed);
  EXPECT_EQ(counts(), (Counts{.refused = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsRequest, OneWhoseDecodingThrowsIsRefused) {
  const ScriptedCodec broken([]() -> Status { throw std::bad_alloc(); });
  session::Event event = call_event("x");
  event.codec = &broken;

  open(waiting(), event);

  EXPECT_EQ(only_finished().status.code(), StatusCode::internal);
  EXPECT_TRUE(only_finished().unprocessed);
  EXPECT_EQ(counts(), (Counts{.refused = 1, .exceptions = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsRequest, OneThatIsNotEndedInTimeIsRefused) {
  open_unfinished(plain());

  advance(299s);
  EXPECT_TRUE(recorded().finished.empty());
  advance(2s);

  EXPECT_EQ(only_finished().status,
            Status(StatusCode::deadline_exceeded,
                   "call Plain: the client has not ended its request within stall_timeout 300000 ms"));
  EXPECT_TRUE(only_finished().unprocessed);
  EXPECT_EQ(counts(), (Counts{.refused = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsRequest, WithoutAStallTimeoutItMayTakeForEver) {
  ServerOptions options;
  options.limits.stall_timeout = 0ms;
  make(std::move(options));
  const ServerCall& call = open_unfinished(plain());

  advance(1000h);

  EXPECT_EQ(call.stage, CallStage::awaiting_request);
}

TEST_F(LastingCallsRequest, AWholeRequestHasNoTimeout) {
  open(waiting(), "x");

  advance(1000s);

  EXPECT_TRUE(recorded().finished.empty());
  open_gate();
  EXPECT_EQ(only_finished().payload, "x");
}

TEST_F(LastingCallsRequest, InADrainOneThatGoesOnIsWaitedFor) {
  ServerCall& call = open_unfinished(plain());
  link().set_draining();
  on_loop([&] { lasting().on_draining(call); });

  for (int i = 0; i < 5; ++i) {
    recorded().received_so_far += 10;
    advance(11s);
    EXPECT_TRUE(recorded().finished.empty());
  }
  message(call, "hello", true);

  EXPECT_EQ(only_finished().payload, "hello");
  expect_nothing_left();
}

TEST_F(LastingCallsRequest, InADrainOneThatRestsIsRefused) {
  ServerCall& call = open_unfinished(plain());
  link().set_draining();
  on_loop([&] { lasting().on_draining(call); });

  advance(11s);

  EXPECT_EQ(only_finished().status,
            Status(StatusCode::unavailable,
                   "call Plain: the server is draining, and the client has sent nothing of its request for 10000 ms"));
  EXPECT_TRUE(only_finished().unprocessed);
  EXPECT_EQ(counts(), (Counts{.refused = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsRequest, ACallForWhichTheMethodHasNoRoomIsRefusedWhenItsRequestIsThere) {
  LoopMethod& method = waiting("Wait", {.max_concurrent_calls = 1});
  open(method, "one", 1);
  ServerCall& second = open_unfinished(method, 2);

  message(second, "two", true);

  EXPECT_EQ(only_finished().id, 2u);
  EXPECT_EQ(only_finished().status.code(), StatusCode::resource_exhausted);
  EXPECT_TRUE(only_finished().unprocessed);
  EXPECT_EQ(method.method().open_calls, 1u);
  open_gate();
  EXPECT_EQ(counts(), (Counts{.started = 1, .ok = 1, .refused = 1}));
  EXPECT_EQ(method.method().open_calls, 0u);
  expect_nothing_left();
}

TEST_F(LastingCallsRequest, OneThatIsGivenUpIsCountedAsCancelledAndReachesNoHandler) {
  ServerCall& call = open_unfinished(plain());
  message(call, "hello", false);

  cancel(call, by_client);
  advance(1000s);

  EXPECT_TRUE(recorded().finished.empty());
  EXPECT_EQ(journal(), std::vector<std::string>{"call ended"});
  EXPECT_EQ(recorded().released, std::vector<session::CallId>{1}) << "the credit goes back";
  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  expect_nothing_left();
}

// --- the end of a call whose handler runs ---

TEST_F(LastingCallsCancel, TellsTheHandlerAndSendsNothing) {
  ServerCall& call = open(waiting(), "x");

  cancel(call, by_client);

  EXPECT_EQ(gate.waiting(), 0) << "the coroutine has left its wait";
  EXPECT_TRUE(recorded().finished.empty());
  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1})) << "Asio's exception is none of the handler's";
  EXPECT_TRUE(logged.empty());
  expect_nothing_left();
}

TEST_F(LastingCallsCancel, ACallCountsUntilAHandlerThatTakesNoNoticeHasEnded) {
  ServerCall& call = open(stubborn(), "x");

  cancel(call, by_client);

  EXPECT_EQ(call.stage, CallStage::cancelled);
  EXPECT_EQ(link().running.running, 1u);
  EXPECT_EQ(totals().open_calls.value(), 1u);
  open_gate();
  EXPECT_TRUE(recorded().finished.empty());
  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsCancel, RunsTheCallbackOfTheHandlerOnce) {
  int calls_back = 0;
  LoopMethod& method = handle<LastingText, LastingText>(
      "Listen", [&](const LastingText& request, ServerContext& shown) -> asio::awaitable<LastingText> {
        shown.on_cancel([&] { ++calls_back; });
        co_await gate.pass();
        co_return request;
      });
  ServerCall& call = open(method, "x");

  cancel(call, by_client);

  EXPECT_EQ(calls_back, 1);
  expect_nothing_left();
}

TEST_F(LastingCallsCancel, ACallbackThatThrowsIsLoggedAndTheCoroutineIsCancelled) {
  LoopMethod& method = handle<LastingText, LastingText>(
      "Listen", [&](const LastingText& request, ServerContext& shown) -> asio::awaitable<LastingText> {
        shown.on_cancel([] { throw std::runtime_error("in a callback"); });
        co_await gate.pass();
        co_return request;
      });
  ServerCall& call = open(method, "x");

  cancel(call, by_client);

  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0].message, "handler of Listen threw an exception: in a callback");
  expect_nothing_left();
}

TEST_F(LastingCallsCancel, AnExceptionOfACancelledHandlerIsCancellationToo) {
  LoopMethod& method = handle<LastingText, LastingText>(
      "Throw", [&](const LastingText&, ServerContext& shown) -> asio::awaitable<LastingText> {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        co_await gate.pass();
        EXPECT_TRUE(shown.is_cancelled());
        throw std::runtime_error("late");
      });
  ServerCall& call = open(method, "x");
  cancel(call, by_client);

  open_gate();

  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsCancel, ACoroutineThatIsDestroyedAfterwardsIsNoError) {
  std::function<void()> drop;
  LoopMethod& method =
      handle<LastingText, LastingText>("Lose", [&](const LastingText&, ServerContext&) -> asio::awaitable<LastingText> {
        co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
            [&](auto handler) {
              auto kept = std::make_shared<std::optional<decltype(handler)>>(std::move(handler));
              drop = [kept] { kept->reset(); };
            },
            asio::use_awaitable);
        co_return LastingText();
      });
  ServerCall& call = open(method, "x");
  cancel(call, by_client);
  EXPECT_EQ(call.stage, CallStage::cancelled);

  on_loop([&] { drop(); });

  EXPECT_TRUE(logged.empty());
  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  drop = nullptr;
  expect_nothing_left();
}

TEST_F(LastingCallsCancel, AtTheDeadlineIsCountedForTheMethodWithThatCode) {
  make();
  context->metrics().start();
  LoopMethod& method = waiting();
  ServerCall& call = open(method, "x");

  cancel(call, Status(StatusCode::deadline_exceeded, "deadline exceeded"));
  context->metrics().stop();

  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  EXPECT_EQ(method.metrics->finished[static_cast<std::size_t>(StatusCode::deadline_exceeded)].value(), 1u);
  EXPECT_EQ(method.metrics->finished[static_cast<std::size_t>(StatusCode::cancelled)].value(), 0u);
  expect_nothing_left();
}

TEST_F(LastingCallsCancel, ThatNeedsAFinishSendsTheStatusBeforeTheHandlerIsTold) {
  LoopMethod& method = handle<LastingText, LastingText>(
      "Listen", [&](const LastingText& request, ServerContext& shown) -> asio::awaitable<LastingText> {
        shown.on_cancel([&] { journal().emplace_back("told"); });
        co_await gate.pass();
        co_return request;
      });
  ServerCall& call = open(method, "x");

  cancel(call, Status(StatusCode::deadline_exceeded, "deadline exceeded"), true);

  EXPECT_EQ(only_finished().status, Status(StatusCode::deadline_exceeded, "deadline exceeded"));
  EXPECT_FALSE(only_finished().unprocessed);
  EXPECT_EQ(journal(), (std::vector<std::string>{"finish 1", "told", "call ended"}));
  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsCancel, FreesThePermitOfAHandlerThatEndsInItsCallback) {
  LoopMethod& method = handle<LastingText, LastingText>(
      "Listen", [&](const LastingText& request, ServerContext& shown) -> asio::awaitable<LastingText> {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        shown.on_cancel([&] { gate.open(); });
        co_await gate.pass();
        co_return request;
      });
  ServerCall& call = open(method, "x");

  cancel(call, by_client);

  EXPECT_TRUE(recorded().finished.empty());
  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  expect_nothing_left();
}

// --- while the response is made ---

TEST_F(LastingCallsResponse, ACallThatIsCancelledMeanwhileCountsAsThatAlone) {
  ServerCall& call = open(waiting(), "x");
  recorded().on_finish = [&] {
    session::Event event;
    event.context = &call;
    event.status = by_client;
    lasting().on_cancelled(event);
  };

  open_gate();

  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsResponse, ACallThatIsBrokenOffMeanwhileGetsTheSessionsStatus) {
  ServerCall& call = open(waiting(), "x");
  recorded().on_finish = [&] {
    recorded().on_finish = nullptr;
    session::Event event;
    event.context = &call;
    event.needs_finish = true;
    event.status = Status(StatusCode::deadline_exceeded, "deadline exceeded");
    lasting().on_cancelled(event);
  };

  open_gate();

  ASSERT_FALSE(recorded().finished.empty());
  EXPECT_EQ(recorded().finished.front().status.code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsResponse, OneThatCannotBeSentIsCountedAndLogged) {
  recorded().finish_result = Status(StatusCode::resource_exhausted, "longer than max_message_bytes");

  open(plain(), "x");

  EXPECT_EQ(counts(), (Counts{.started = 1, .failed = 1}));
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0].message, "longer than max_message_bytes");
  expect_nothing_left();
}

TEST_F(LastingCallsResponse, AnExceptionWhileItIsMadeBecomesTheStatus) {
  recorded().on_finish = [&] {
    recorded().on_finish = nullptr;
    throw std::bad_alloc();
  };

  open(plain(), "x");

  EXPECT_EQ(only_finished().status, Status(StatusCode::internal, "handler of Plain threw an exception"));
  EXPECT_FALSE(only_finished().has_message);
  EXPECT_FALSE(only_finished().unprocessed);
  EXPECT_EQ(counts(), (Counts{.started = 1, .failed = 1, .exceptions = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsResponse, AnExceptionAfterTheCallWasCancelledSendsNothing) {
  ServerCall& call = open(waiting(), "x");
  recorded().on_finish = [&] {
    session::Event event;
    event.context = &call;
    event.status = by_client;
    lasting().on_cancelled(event);
    throw std::runtime_error("x");
  };

  open_gate();

  EXPECT_TRUE(recorded().finished.empty());
  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1, .exceptions = 1}));
  expect_nothing_left();
}

// --- the end of the server ---

TEST_F(LastingCallsStop, ADetachedCallGoesOnUntilTheServerHasStopped) {
  ServerCall& call = open(waiting(), "x");
  link().is_gone = true;

  on_loop([&] { lasting().on_detached(call); });
  EXPECT_EQ(call.stage, CallStage::cancelled);
  EXPECT_EQ(gate.waiting(), 1) << "the handler is not told yet";
  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  on_loop([&] { lasting().on_stopped(call); });

  EXPECT_EQ(gate.waiting(), 0);
  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1})) << "a call is counted once";
  expect_nothing_left();
}

TEST_F(LastingCallsStop, AHandlerThatEndsAfterTheConnectionSendsNothing) {
  ServerCall& call = open(waiting(), "x");
  link().is_gone = true;
  on_loop([&] { lasting().on_detached(call); });

  open_gate();

  EXPECT_TRUE(recorded().finished.empty());
  expect_nothing_left();
}

TEST_F(LastingCallsStop, ACallThatIsStoppedWithoutADetachmentIsCancelled) {
  ServerCall& call = open(waiting(), "x");

  on_loop([&] { lasting().on_stopped(call); });

  EXPECT_EQ(gate.waiting(), 0);
  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsStop, ACancelledHandlerThatHasGoneOnIsToldAgain) {
  int calls_back = 0;
  LoopMethod& method = handle<LastingText, LastingText>(
      "Stubborn", [&](const LastingText& request, ServerContext& shown) -> asio::awaitable<LastingText> {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        shown.on_cancel([&] { ++calls_back; });
        co_await gate.pass();
        co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
        co_return request;
      });
  ServerCall& call = open(method, "x");
  cancel(call, by_client);

  on_loop([&] { lasting().on_stopped(call); });

  EXPECT_EQ(call.stage, CallStage::cancelled);
  EXPECT_EQ(calls_back, 1) << "a callback runs once";
  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  open_gate();
  expect_nothing_left();
}

TEST_F(LastingCallsStop, CallsThatHaveNotBegunAreDiscarded) {
  lasting().set_ordered();
  ServerCall& runs = open(waiting(), "one", 1);
  ServerCall& waits = open(waiting(), "two", 2);
  ServerCall& incomplete = open_unfinished(waiting(), 3);
  link().is_gone = true;

  on_loop([&] { lasting().on_detached(runs); });
  on_loop([&] { lasting().on_detached(waits); });
  on_loop([&] { lasting().on_stopped(incomplete); });

  EXPECT_EQ(context->calls().in_use(), 1u);
  EXPECT_EQ(totals().open_calls.value(), 1u);
  EXPECT_EQ(counts(), (Counts{.started = 3, .cancelled = 3}));
  EXPECT_TRUE(recorded().released_queued.empty()) << "no session is left to take the credit";
  open_gate();
  EXPECT_EQ(journal(), (std::vector<std::string>{"begin one", "call ended", "call ended", "call ended"}));
  expect_nothing_left();
}

TEST_F(LastingCallsStop, AnEventThatMustNotHappenIsLoggedAndChangesNothing) {
  ServerCall& call = open_unfinished(plain());

  on_loop([&] { lasting().on_completed(call); });

  EXPECT_EQ(call.stage, CallStage::awaiting_request);
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0].level, LogLevel::error);
  EXPECT_EQ(logged[0].message, "serve call: event completed must not happen in stage awaiting_request");
  EXPECT_EQ(logged[0].method, "Plain");
}

// --- ordered connections ---

TEST_F(LastingCallsTurns, OneCallRunsAtATimeInTheOrderOfArrival) {
  lasting().set_ordered();
  EXPECT_FALSE(lasting().must_keep_order());
  open(waiting(), "one", 1);
  EXPECT_TRUE(lasting().must_keep_order());
  open(plain(), "two", 2);
  open(plain(), "three", 3);

  EXPECT_EQ(journal(), std::vector<std::string>{"begin one"});
  open_gate();

  EXPECT_EQ(journal(), (std::vector<std::string>{"begin one", "finish 1", "begin two", "finish 2", "call ended",
                                                 "begin three", "finish 3", "call ended", "call ended"}));
  EXPECT_EQ(counts(), (Counts{.started = 3, .ok = 3}));
  expect_nothing_left();
}

TEST_F(LastingCallsTurns, ARequestThatWaitsHoldsTheCreditOfItsConnection) {
  lasting().set_ordered();
  open(waiting(), "one", 1);
  session::Event event = call_event("two", 2);

  open(plain(), event);

  EXPECT_TRUE(event.is_queued);
  EXPECT_FALSE(event.is_retained);
  EXPECT_TRUE(recorded().released_queued.empty());
  open_gate();
  EXPECT_EQ(recorded().released_queued, std::vector<session::CallId>{2});
  EXPECT_TRUE(recorded().released.empty());
  expect_nothing_left();
}

TEST_F(LastingCallsTurns, AnIncompleteRequestHoldsUpTheCallsBehindIt) {
  lasting().set_ordered();
  ServerCall& first = open_unfinished(plain(), 1);
  open(plain(), "two", 2);

  EXPECT_TRUE(journal().empty());
  message(first, "one", true);

  ASSERT_EQ(recorded().finished.size(), 2u);
  EXPECT_EQ(recorded().finished[0].payload, "one");
  EXPECT_EQ(recorded().finished[1].payload, "two");
  expect_nothing_left();
}

TEST_F(LastingCallsTurns, ARefusalWaitsForItsTurn) {
  lasting().set_ordered();
  open(waiting(), "one", 1);
  session::Event event = call_event("x", 2);

  on_loop([&] { lasting().refuse_in_order(event, Status(StatusCode::unimplemented, "no such method"), false); });

  EXPECT_TRUE(recorded().finished.empty());
  open_gate();
  ASSERT_EQ(recorded().finished.size(), 2u);
  EXPECT_EQ(recorded().finished[1].id, 2u);
  EXPECT_EQ(recorded().finished[1].status, Status(StatusCode::unimplemented, "no such method"));
  EXPECT_TRUE(recorded().finished[1].unprocessed);
  EXPECT_EQ(counts(), (Counts{.started = 1, .ok = 1, .refused = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsTurns, ARefusalThatWasCountedIsNotCountedAgain) {
  lasting().set_ordered();
  open(waiting(), "one", 1);
  session::Event event = call_event("x", 2);

  on_loop([&] { lasting().refuse_in_order(event, Status(StatusCode::unimplemented, "no such method"), true); });
  open_gate();

  EXPECT_EQ(recorded().finished.size(), 2u);
  EXPECT_EQ(counts(), (Counts{.started = 1, .ok = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsTurns, ARefusalOfACallThatIsGoneIsNotSent) {
  lasting().set_ordered();
  open(waiting(), "one", 1);
  session::Event event = call_event("x", 2);
  on_loop([&] { lasting().refuse_in_order(event, Status(StatusCode::unimplemented, "no such method"), false); });

  cancel(call_of(2), by_client);
  open_gate();

  EXPECT_EQ(only_finished().id, 1u);
  EXPECT_EQ(counts(), (Counts{.started = 2, .ok = 1, .cancelled = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsTurns, ACallThatIsCancelledWhileItWaitsGivesUpItsTurn) {
  lasting().set_ordered();
  open(waiting(), "one", 1);
  ServerCall& second = open(plain(), "two", 2);
  open(plain(), "three", 3);

  cancel(second, by_client);
  EXPECT_EQ(recorded().released_queued, std::vector<session::CallId>{2}) << "its credit goes back at once";
  open_gate();

  ASSERT_EQ(recorded().finished.size(), 2u);
  EXPECT_EQ(recorded().finished[1].id, 3u);
  EXPECT_EQ(counts(), (Counts{.started = 3, .ok = 2, .cancelled = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsTurns, ACallThatIsBrokenOffWhileItWaitsGetsItsStatusInTurn) {
  lasting().set_ordered();
  open(waiting(), "one", 1);
  ServerCall& second = open(plain(), "two", 2);

  cancel(second, Status(StatusCode::deadline_exceeded, "deadline exceeded"), true);
  EXPECT_TRUE(recorded().finished.empty());
  open_gate();

  ASSERT_EQ(recorded().finished.size(), 2u);
  EXPECT_EQ(recorded().finished[1].status, Status(StatusCode::deadline_exceeded, "deadline exceeded"));
  EXPECT_TRUE(recorded().finished[1].unprocessed) << "no handler has seen it";
  EXPECT_EQ(counts(), (Counts{.started = 1, .ok = 1, .refused = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsTurns, ARequestThatIsBrokenOffIsRefusedWithTheSessionsStatus) {
  lasting().set_ordered();
  ServerCall& call = open_unfinished(plain(), 1);

  cancel(call, Status(StatusCode::deadline_exceeded, "deadline exceeded"), true);

  EXPECT_EQ(only_finished().status.code(), StatusCode::deadline_exceeded);
  EXPECT_TRUE(only_finished().unprocessed);
  EXPECT_EQ(counts(), (Counts{.refused = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsTurns, ACancelledCallKeepsItsTurnUntilItsHandlerHasEnded) {
  lasting().set_ordered();
  ServerCall& first = open(stubborn(), "one", 1);
  open(plain(), "two", 2);

  cancel(first, by_client);
  EXPECT_TRUE(recorded().finished.empty());
  open_gate();

  EXPECT_EQ(only_finished().id, 2u);
  expect_nothing_left();
}

TEST_F(LastingCallsTurns, NoCallBeginsOnceTheSessionIsClosed) {
  lasting().set_ordered();
  open(waiting(), "one", 1);
  ServerCall& second = open(plain(), "two", 2);
  recorded().is_closed_now = true;

  open_gate();

  EXPECT_EQ(only_finished().id, 1u);
  EXPECT_EQ(second.stage, CallStage::awaiting_order);
  cancel(second, Status(StatusCode::unavailable, "the connection was lost"));
  EXPECT_EQ(counts(), (Counts{.started = 2, .ok = 1, .cancelled = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsTurns, ManyCallsThatWaitRunOneAfterTheOtherWithoutRecursion) {
  lasting().set_ordered();
  open(waiting(), "first", 1);
  LoopMethod& method = plain();
  constexpr session::CallId last = 20000;
  for (session::CallId id = 2; id <= last; ++id) {
    session::Event event = call_event("x", id);
    lasting().open(event, method, state->admission.admit(method.method(), link().running));
    if (link().running.running >= state->options.max_concurrent_calls_per_connection - 1) break;
  }
  const std::size_t count = context->calls().in_use();

  open_gate();

  ASSERT_EQ(recorded().finished.size(), count);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(recorded().finished[i].id, i + 1);
  expect_nothing_left();
}

// --- connections with all the calls that may run ---

TEST_F(LastingCallsPlaces, ACallOfAFullConnectionWaitsForAPlace) {
  ServerOptions options;
  options.max_concurrent_calls_per_connection = 1;
  make(std::move(options));
  open(waiting(), "one", 1);
  const ServerCall& second = open(plain(), "two", 2);

  EXPECT_EQ(second.stage, CallStage::awaiting_order);
  EXPECT_FALSE(lasting().must_keep_order()) << "the connection has no order";
  open_gate();

  ASSERT_EQ(recorded().finished.size(), 2u);
  EXPECT_EQ(recorded().finished[1].payload, "two");
  EXPECT_EQ(counts(), (Counts{.started = 2, .ok = 2}));
  expect_nothing_left();
}

TEST_F(LastingCallsPlaces, ACancelledCallKeepsItsPlaceUntilItsHandlerHasEnded) {
  ServerOptions options;
  options.max_concurrent_calls_per_connection = 1;
  make(std::move(options));
  ServerCall& first = open(stubborn(), "one", 1);
  open(plain(), "two", 2);
  open(plain(), "three", 3);

  cancel(first, by_client);
  EXPECT_TRUE(recorded().finished.empty());
  open_gate();

  ASSERT_EQ(recorded().finished.size(), 2u);
  EXPECT_EQ(recorded().finished[0].id, 2u) << "in the order of arrival";
  EXPECT_EQ(recorded().finished[1].id, 3u);
  expect_nothing_left();
}

TEST_F(LastingCallsPlaces, ACallThatIsCancelledWhileItWaitsNeverBegins) {
  ServerOptions options;
  options.max_concurrent_calls_per_connection = 1;
  make(std::move(options));
  open(waiting(), "one", 1);
  ServerCall& second = open(plain(), "two", 2);
  open(plain(), "three", 3);

  cancel(second, by_client);
  open_gate();

  EXPECT_EQ(journal(), (std::vector<std::string>{"begin one", "call ended", "finish 1", "begin three", "finish 3",
                                                 "call ended", "call ended"}));
  EXPECT_EQ(counts(), (Counts{.started = 3, .ok = 2, .cancelled = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsPlaces, ACallThatAnInterceptorRefusesNeedsNoPlace) {
  ServerOptions options;
  options.max_concurrent_calls_per_connection = 1;
  options.interceptors.push_back(std::make_shared<Hooked>(*this));
  make(std::move(options));
  open(waiting(), "one", 1);
  start_status = Status(StatusCode::permission_denied, "not you");

  open(plain(), "two", 2);

  EXPECT_EQ(only_finished().id, 2u);
  EXPECT_EQ(only_finished().status.code(), StatusCode::permission_denied);
  start_status = {};
  open_gate();
  expect_nothing_left();
}

// --- handlers on workers ---

class LastingCallsWorkers : public LastingCallsTest {
 protected:
  LastingCallsWorkers() {
    ServerOptions options;
    options.worker_threads = 1;
    options.max_queued_blocking_calls = 1;
    make(std::move(options));
  }
  void TearDown() override {
    if (!is_released) release.set_value();
    LastingCallsTest::TearDown();
  }
  /// Runs until the test releases it.
  LoopMethod& blocking() {
    return handle<LastingText, LastingText>("Block",
                                            [this](const LastingText& request, ServerContext&) {
                                              ++begun;
                                              released.wait();
                                              return request;
                                            },
                                            {.blocking = true});
  }
  void wait_until_begun(int count) {
    settle_until([&] { return begun == count; });
  }
  void release_all() {
    is_released = true;
    release.set_value();
  }

  std::promise<void> release;
  std::shared_future<void> released{release.get_future()};
  bool is_released = false;
  std::atomic<int> begun{0};
};

TEST_F(LastingCallsWorkers, RunTheHandlerAndHandTheResponseToTheLoop) {
  const ServerCall& call = open(blocking(), "x");
  wait_until_begun(1);
  EXPECT_EQ(call.stage, CallStage::running);
  EXPECT_TRUE(recorded().finished.empty());

  release_all();
  settle_until([&] { return !recorded().finished.empty(); });

  EXPECT_EQ(only_finished().payload, "x");
  EXPECT_EQ(counts(), (Counts{.started = 1, .ok = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsWorkers, CountAnExceptionOfTheHandler) {
  LoopMethod& method = handle<LastingText, LastingText>(
      "Throw", [](const LastingText&, ServerContext&) -> LastingText { throw std::runtime_error("x"); },
      {.blocking = true});

  open(method, "x");
  settle_until([&] { return !recorded().finished.empty(); });

  EXPECT_EQ(only_finished().status, Status(StatusCode::internal, "handler of Throw threw an exception"));
  EXPECT_EQ(counts(), (Counts{.started = 1, .failed = 1, .exceptions = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsWorkers, RefuseACallForWhichTheQueueHasNoRoom) {
  LoopMethod& method = blocking();
  open(method, "one", 1);
  wait_until_begun(1);
  open(method, "two", 2);

  open(method, "three", 3);

  EXPECT_EQ(only_finished().id, 3u);
  EXPECT_EQ(only_finished().status,
            Status(StatusCode::resource_exhausted,
                   "call Block: blocking calls that wait for a worker have reached max_queued_blocking_calls 1"));
  EXPECT_TRUE(only_finished().unprocessed);
  release_all();
  settle_until([&] { return recorded().finished.size() == 3; });
  EXPECT_EQ(counts(), (Counts{.started = 2, .ok = 2, .refused = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsWorkers, DoNotRunACallThatWasCancelledWhileItWaited) {
  LoopMethod& method = blocking();
  open(method, "one", 1);
  wait_until_begun(1);
  ServerCall& second = open(method, "two", 2);

  cancel(second, by_client);

  EXPECT_EQ(context->calls().in_use(), 1u) << "it has left at once";
  EXPECT_EQ(state->workers.queued(), 0u) << "its place is free";
  release_all();
  settle_until([&] { return !recorded().finished.empty(); });
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(counts(), (Counts{.started = 2, .ok = 1, .cancelled = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsWorkers, TellACallThatRunsOfItsCancellation) {
  std::promise<void> told;
  LoopMethod& method = handle<LastingText, LastingText>("Listen",
                                                        [&](const LastingText& request, ServerContext& shown) {
                                                          shown.on_cancel([&] { told.set_value(); });
                                                          ++begun;
                                                          told.get_future().wait();
                                                          EXPECT_TRUE(shown.is_cancelled());
                                                          return request;
                                                        },
                                                        {.blocking = true});
  ServerCall& call = open(method, "x");
  wait_until_begun(1);

  cancel(call, by_client);
  settle_until([&] { return context->calls().in_use() == 0; });

  EXPECT_TRUE(recorded().finished.empty());
  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsWorkers, RefuseACallWhoseDeadlineHasPassedWhileItWaited) {
  session::Event event = call_event("x");
  event.deadline = clock.now() - 1ms;

  open(blocking(), event);
  settle_until([&] { return !recorded().finished.empty(); });

  EXPECT_EQ(begun, 0);
  EXPECT_EQ(only_finished().status,
            Status(StatusCode::deadline_exceeded, "call Block: its deadline has passed while it waited for a worker"));
  EXPECT_TRUE(only_finished().unprocessed);
  EXPECT_EQ(counts(), (Counts{.refused = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsWorkers, ThatHaveStoppedTakeNoCall) {
  state->workers.stop();

  open(blocking(), "x");

  EXPECT_EQ(only_finished().status.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(counts(), (Counts{.refused = 1}));
  expect_nothing_left();
}

// --- streams ---

TEST_F(LastingCallsStreams, BeginWithTheirCallAndEndWithAStatus) {
  LoopMethod& method =
      stream<detail::StreamHandler>("Echo", [](LastingStream& both, ServerContext& shown) -> asio::awaitable<Status> {
        shown.add_leading_metadata("first", "1");
        while (true) {
          Result<std::optional<LastingText>> read = co_await both.async_read(asio::use_awaitable);
          if (!read.is_ok()) co_return read.status();
          if (!read->has_value()) break;
          co_await both.async_write(**read, asio::use_awaitable);
        }
        shown.add_trailing_metadata("last", "2");
        co_return Status::ok();
      });
  ServerCall& call = open_unfinished(method);
  EXPECT_EQ(call.stage, CallStage::running) << "a stream waits for no message";

  message(call, "one", false);
  message(call, "two", false);
  message(call, std::nullopt, true);

  ASSERT_EQ(recorded().sent.size(), 2u);
  EXPECT_EQ(recorded().sent[0].payload, "one");
  EXPECT_EQ(recorded().sent[0].leading.get("first"), "1");
  EXPECT_EQ(recorded().sent[1].payload, "two");
  EXPECT_TRUE(only_finished().status.is_ok());
  EXPECT_EQ(only_finished().trailing.get("last"), "2");
  EXPECT_EQ(journal(), (std::vector<std::string>{"send 1", "send 1", "finish 1", "call ended"}));
  EXPECT_EQ(counts(), (Counts{.started = 1, .ok = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsStreams, GoOnWritingWhenTheSessionIsWritable) {
  LoopMethod& method =
      stream<detail::StreamHandler>("Write", [](LastingStream& both, ServerContext&) -> asio::awaitable<Status> {
        co_await both.async_write(LastingText(call::StreamCore::write_ahead_bytes + 1, 'x'), asio::use_awaitable);
        co_return co_await both.async_write(LastingText("second"), asio::use_awaitable);
      });
  recorded().is_writable_now = false;
  ServerCall& call = open_unfinished(method);
  const std::size_t before = recorded().sent.size();

  recorded().is_writable_now = true;
  session::Event event;
  event.type = session::EventType::writable;
  event.context = &call;
  on_loop([&] { lasting().on_writable(event); });

  EXPECT_EQ(before, 1u);
  ASSERT_EQ(recorded().sent.size(), 2u);
  EXPECT_EQ(recorded().sent[1].payload, "second");
  EXPECT_TRUE(only_finished().status.is_ok());
  expect_nothing_left();
}

TEST_F(LastingCallsStreams, AWritableUnaryCallIsNothingToDo) {
  ServerCall& call = open(waiting(), "x");
  session::Event event;
  event.type = session::EventType::writable;
  event.context = &call;

  on_loop([&] { lasting().on_writable(event); });

  EXPECT_EQ(call.stage, CallStage::running);
}

TEST_F(LastingCallsStreams, ASecondRequestEndsAServerStream) {
  bool has_run = false;
  LoopMethod& method = stream<detail::ServerStreamHandler>(
      "Count", [&](const LastingText&, ServerWriter<LastingText>&, ServerContext&) -> asio::awaitable<Status> {
        has_run = true;
        co_return Status::ok();
      });
  ServerCall& call = open_unfinished(method);
  message(call, "one", false);

  message(call, "two", false);

  EXPECT_EQ(only_finished().status.code(), StatusCode::unimplemented);
  EXPECT_FALSE(has_run);
  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsStreams, EndTheOperationsOfACancelledHandler) {
  Status seen;
  LoopMethod& method =
      stream<detail::StreamHandler>("Read", [&](LastingStream& both, ServerContext&) -> asio::awaitable<Status> {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        seen = (co_await both.async_read(asio::use_awaitable)).status();
        co_return seen;
      });
  ServerCall& call = open_unfinished(method);

  cancel(call, by_client);

  EXPECT_EQ(seen.code(), StatusCode::cancelled);
  EXPECT_TRUE(recorded().finished.empty());
  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsStreams, WaitForTheirTurnWithTheMessagesThatCome) {
  lasting().set_ordered();
  open(waiting(), "one", 1);
  LastingText seen;
  LoopMethod& method =
      stream<detail::StreamHandler>("Read", [&](LastingStream& both, ServerContext&) -> asio::awaitable<Status> {
        seen = (co_await both.async_read(asio::use_awaitable)).value().value_or("nothing");
        co_return Status::ok();
      });
  ServerCall& second = open_unfinished(method, 2);
  message(second, "early", true);
  EXPECT_EQ(second.stage, CallStage::awaiting_order);

  open_gate();

  EXPECT_EQ(seen, "early");
  ASSERT_EQ(recorded().finished.size(), 2u);
  EXPECT_EQ(recorded().finished[1].id, 2u);
  expect_nothing_left();
}

// --- drains ---

TEST_F(LastingCallsDrain, TellsTheHandlerThatRuns) {
  int drains = 0;
  LoopMethod& method = handle<LastingText, LastingText>(
      "Listen", [&](const LastingText& request, ServerContext& shown) -> asio::awaitable<LastingText> {
        shown.on_drain([&] { ++drains; });
        co_await gate.pass();
        co_return request;
      });
  ServerCall& call = open(method, "x");
  link().set_draining();

  on_loop([&] { lasting().on_draining(call); });
  on_loop([&] { lasting().on_draining(call); });

  EXPECT_EQ(drains, 1);
  EXPECT_EQ(call.stage, CallStage::running);
  open_gate();
  EXPECT_EQ(counts(), (Counts{.started = 1, .ok = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsDrain, LogsWhatTheCallbackThrows) {
  LoopMethod& method = handle<LastingText, LastingText>(
      "Listen", [&](const LastingText& request, ServerContext& shown) -> asio::awaitable<LastingText> {
        shown.on_drain([] { throw std::runtime_error("in a callback"); });
        co_await gate.pass();
        co_return request;
      });
  ServerCall& call = open(method, "x");

  on_loop([&] { lasting().on_draining(call); });

  EXPECT_EQ(call.stage, CallStage::running);
  ASSERT_EQ(logged.size(), 1u);
  open_gate();
  EXPECT_TRUE(only_finished().status.is_ok());
}

TEST_F(LastingCallsDrain, EndsStreamsWhenItsTimeIsOver) {
  ServerCall& call = open_unfinished(waiting_stream());

  on_loop([&] { lasting().on_drain_ended(call); });

  EXPECT_EQ(only_finished().status.code(), StatusCode::unavailable);
  EXPECT_EQ(only_finished().status.message(), "call Stream: the server has ended the stream, because it is draining");
  EXPECT_TRUE(only_finished().status.should_reconnect());
  EXPECT_GE(link().flushes, 1);
  EXPECT_EQ(counts(), (Counts{.started = 1, .cancelled = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsDrain, LetsUnaryCallsEndByThemselves) {
  ServerCall& call = open(waiting(), "x");

  on_loop([&] { lasting().on_drain_ended(call); });

  EXPECT_EQ(call.stage, CallStage::running);
  EXPECT_TRUE(recorded().finished.empty());
  open_gate();
  EXPECT_EQ(counts(), (Counts{.started = 1, .ok = 1}));
}

// --- interceptors ---

TEST_F(LastingCallsInterception, SurroundsTheHandler) {
  make_intercepted();

  open(plain(), "x");

  EXPECT_EQ(journal(), (std::vector<std::string>{"on_start", "begin x", "on_finish ok", "finish 1", "call ended"}));
  expect_nothing_left();
}

TEST_F(LastingCallsInterception, ThatRefusesKeepsTheHandlerFromBeginning) {
  make_intercepted();
  start_status = Status(StatusCode::permission_denied, "not you");

  open(waiting(), "x");

  EXPECT_EQ(only_finished().status, start_status);
  EXPECT_TRUE(only_finished().unprocessed);
  EXPECT_EQ(journal(), (std::vector<std::string>{"on_start", "on_finish permission_denied", "finish 1", "call ended"}));
  EXPECT_EQ(counts(), (Counts{.started = 1, .failed = 1}));
  expect_nothing_left();
}

TEST_F(LastingCallsInterception, MayTurnTheRefusalOfAStreamIntoOk) {
  make_intercepted();
  start_status = Status(StatusCode::permission_denied, "not you");
  on_finish = [](Status& status) { status = Status(); };

  open_unfinished(waiting_stream());

  EXPECT_TRUE(only_finished().status.is_ok());
  EXPECT_FALSE(only_finished().has_message);
  expect_nothing_left();
}

TEST_F(LastingCallsInterception, LearnsHowACancelledCallHasEnded) {
  make_intercepted();
  ServerCall& running = open(waiting(), "one", 1);
  ServerCall& incomplete = open_unfinished(waiting(), 2);
  journal().clear();

  cancel(running, by_client);
  cancel(incomplete, Status(StatusCode::deadline_exceeded, "deadline exceeded"));

  EXPECT_EQ(journal(), (std::vector<std::string>{"on_finish cancelled", "call ended", "on_finish deadline_exceeded",
                                                 "call ended"}));
  expect_nothing_left();
}

TEST_F(LastingCallsInterception, LearnsOfARefusal) {
  make_intercepted();
  open_unfinished(plain());

  advance(301s);

  EXPECT_EQ(journal(), (std::vector<std::string>{"on_start", "on_finish deadline_exceeded", "finish 1", "call ended"}));
  EXPECT_EQ(counts(), (Counts{.refused = 1}));
  expect_nothing_left();
}

// --- memory ---

TEST_F(LastingCallsMemory, ALongRequestIsCountedWhileItsHandlerHasIt) {
  const std::string longer(1 << 20, 'x');
  session::Event event = call_event(longer);

  open(waiting(), event);
  const std::size_t while_running = state->memory.used();
  open_gate();

  EXPECT_GE(while_running, longer.size());
  EXPECT_EQ(state->memory.used(), 0u);
}

TEST_F(LastingCallsMemory, ACancelledCallIsCountedUntilItsHandlerHasEnded) {
  session::Event event = call_event("x");
  event.metadata.add("long", std::string(1 << 20, 'x'));
  open(stubborn(), event);
  const std::size_t while_open = state->memory.used();

  cancel(call_of(1), by_client);
  const std::size_t while_cancelled = state->memory.used();
  open_gate();

  EXPECT_EQ(while_open, 0u) << "the session counts what it holds itself";
  EXPECT_GE(while_cancelled, std::size_t{1} << 20);
  EXPECT_EQ(state->memory.used(), 0u);
}

// --- connection_context ---

TEST_F(LastingCallsFacts, BackgroundCallsAreCountedWhileTheyAreOpen) {
  LoopMethod& method = waiting();
  method.method().is_background = true;
  open(method, "x", 1);
  ServerCall& second = open(method, "y", 2);

  EXPECT_EQ(lasting().background_calls(), 2u);
  cancel(second, by_client);
  EXPECT_EQ(lasting().background_calls(), 1u);
  open_gate();
  expect_nothing_left();
}

TEST_F(LastingCallsFacts, AUnaryCallIsReadyWithItsWholeRequestAndAStreamAtOnce) {
  const session::Event whole = call_event("x");
  const session::Event begun;
  LoopMethod& unary = waiting();
  LoopMethod& streaming = waiting_stream();

  EXPECT_TRUE(LastingCalls::is_ready(whole, unary));
  EXPECT_FALSE(LastingCalls::is_ready(begun, unary));
  EXPECT_TRUE(LastingCalls::is_ready(whole, streaming));
  EXPECT_TRUE(LastingCalls::is_ready(begun, streaming));
}

TEST_F(LastingCallsFacts, TheAdaptiveLimitCountsUnaryCallsThatAreNotPlain) {
  ServerOptions options;
  options.overload.priority_metadata = "priority";
  make(std::move(options));
  Metadata sheddable;
  sheddable.add("priority", "sheddable");

  EXPECT_TRUE(lasting().traits_of({}, waiting()).is_adaptive);
  EXPECT_FALSE(lasting().traits_of({}, plain()).is_adaptive);
  EXPECT_FALSE(lasting().traits_of({}, waiting_stream()).is_adaptive);
  EXPECT_EQ(lasting().traits_of({}, plain()).now, clock.now());
  EXPECT_EQ(lasting().traits_of({}, plain()).level, 1u);
  EXPECT_EQ(lasting().traits_of(sheddable, plain()).level, 2u);
}

TEST_F(LastingCallsFacts, AnExceptionOfACodecIsCountedAndLoggedWithItsTextAlone) {
  ServerCall& call = open_unfinished(waiting_stream());
  Status seen;

  on_loop([&] { seen = lasting().on_codec_exception(call, Status(StatusCode::internal, "encode message"), "secret"); });

  EXPECT_EQ(seen, Status(StatusCode::internal, "encode message"));
  EXPECT_EQ(totals().handler_exceptions.value(), 1u);
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0].message, "encode message: secret");
  EXPECT_EQ(logged[0].method, "Stream");
}

}  // namespace

}  // namespace trunkline::server
