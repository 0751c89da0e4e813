// SPDX-License-Identifier: MIT
// PlainCalls alone, on a session that records: decode, run, respond, and what is counted and left behind.
#include "call/inherited_deadline.h"
#include "unit/server/exchange_fixture.h"

#include <trunkline/interceptor.h>

#include <new>
#include <stdexcept>

namespace trunkline::server {

namespace {

using namespace std::chrono_literals;

class PlainCallsTest : public ExchangeFixture {
 protected:
  /// An interceptor whose hooks the test gives. It notes them in the journal.
  struct Hooked final : Interceptor {
    explicit Hooked(PlainCallsTest& of_test) noexcept : test(of_test) {}
    Status on_start(CallInfo& call) override {
      test.journal().emplace_back("on_start");
      return test.on_start ? test.on_start(call) : Status();
    }
    void on_finish(CallInfo& call, Status& status) override {
      test.journal().emplace_back("on_finish");
      if (test.on_finish) test.on_finish(call, status);
    }
    PlainCallsTest& test;
  };

  void make_intercepted() {
    ServerOptions options;
    options.interceptors.push_back(std::make_shared<Hooked>(*this));
    make(std::move(options));
  }
  template <class Function>
  LoopMethod& plain(std::string_view name, Function function) {
    return handle<std::string, std::string>(name, std::move(function));
  }
  LoopMethod& echo() {
    return plain("Echo", [this](const std::string& request, ServerContext&) {
      journal().emplace_back("handler");
      return request;
    });
  }
  const FinishedCall& serve(LoopMethod& method, session::Event&& event) {
    link().plain.serve(recorded(), event, method);
    return recorded().finished.back();
  }
  const FinishedCall& serve(LoopMethod& method, std::string_view payload) {
    return serve(method, call_event(payload, next_id++));
  }

  session::CallId next_id = 1;
  std::function<Status(CallInfo&)> on_start;
  std::function<void(CallInfo&, Status&)> on_finish;
};

using PlainCallsPath = PlainCallsTest;
using PlainCallsRefusal = PlainCallsTest;
using PlainCallsException = PlainCallsTest;
using PlainCallsInterception = PlainCallsTest;
using PlainCallsReuse = PlainCallsTest;

// --- the path of a call ---

TEST_F(PlainCallsPath, RunsTheHandlerAndSendsItsResponse) {
  const FinishedCall& call = serve(echo(), "hello");

  EXPECT_TRUE(call.status.is_ok());
  EXPECT_TRUE(call.has_message);
  EXPECT_EQ(call.payload, "hello");
  EXPECT_EQ(call.codec, bytes_codec());
  EXPECT_FALSE(call.unprocessed);
  EXPECT_TRUE(call.trailing.empty());
  EXPECT_EQ(journal(), (std::vector<std::string>{"handler", "finish 1"}));
}

TEST_F(PlainCallsPath, CountsACallThatWasServedAndKeepsNothingOfIt) {
  serve(echo(), "hello");

  EXPECT_EQ(totals().calls_started.value(), 1u);
  EXPECT_EQ(totals().calls_ok.value(), 1u);
  EXPECT_EQ(totals().calls_failed.value(), 0u);
  EXPECT_EQ(totals().calls_refused.value(), 0u);
  EXPECT_EQ(totals().open_calls.value(), 0u);
  EXPECT_TRUE(recorded().attached.empty());
  EXPECT_EQ(context->calls().in_use(), 0u);
  EXPECT_EQ(context->calls().free(), 0u) << "a plain call needs no call object";
  EXPECT_EQ(link().flushes, 0) << "its connection writes at the end of the batch";
  EXPECT_TRUE(logged.empty());
}

TEST_F(PlainCallsPath, ShowsTheHandlerItsCall) {
  Metadata metadata;
  metadata.add("key", "value");
  const base::TimePoint deadline = clock.now() + 3s;
  std::string seen;
  LoopMethod& method = plain("Look", [&](const std::string&, ServerContext& shown) {
    seen = std::string(shown.method()) + " " + std::string(shown.peer()) + " " +
           std::string(shown.metadata().get("key").value_or("none"));
    EXPECT_EQ(shown.deadline(), deadline);
    EXPECT_FALSE(shown.is_cancelled());
    return std::string();
  });
  session::Event event = call_event("x");
  event.metadata = metadata;
  event.deadline = deadline;

  serve(method, std::move(event));

  EXPECT_EQ(seen, "Look test://peer value");
}

TEST_F(PlainCallsPath, CallsThatTheHandlerMakesInheritItsDeadlineAndOthersDoNot) {
  std::vector<base::TimePoint> inherited;
  LoopMethod& method = plain("Look", [&](const std::string& request, ServerContext&) {
    inherited.push_back(call::InheritedDeadline::current());
    if (request == "throw") throw std::runtime_error("x");
    return request;
  });
  const base::TimePoint deadline = clock.now() + 3s;
  for (const std::string_view payload : {"return", "throw"}) {
    session::Event event = call_event(payload);
    event.deadline = deadline;
    serve(method, std::move(event));

    EXPECT_EQ(call::InheritedDeadline::current(), base::never);
  }
  serve(method, "return");

  EXPECT_EQ(inherited, (std::vector<base::TimePoint>{deadline, deadline, base::never}));
}

TEST_F(PlainCallsPath, SendsLeadingMetadataBeforeTheStatusAndTrailingWithIt) {
  LoopMethod& method = plain("Annotate", [](const std::string& request, ServerContext& shown) {
    shown.add_leading_metadata("first", "1");
    shown.add_trailing_metadata("last", "2");
    return request;
  });

  const FinishedCall& call = serve(method, "x");

  ASSERT_EQ(recorded().sent.size(), 1u);
  EXPECT_EQ(recorded().sent[0].leading.get("first"), "1");
  EXPECT_FALSE(recorded().sent[0].end);
  EXPECT_EQ(call.trailing.get("last"), "2");
  EXPECT_EQ(call.payload, "x");
  EXPECT_EQ(journal(), (std::vector<std::string>{"send 1", "finish 1"}));
}

TEST_F(PlainCallsPath, LeadingMetadataThatIsRefusedBecomesTheStatus) {
  LoopMethod& method = plain("Annotate", [](const std::string& request, ServerContext& shown) {
    shown.add_leading_metadata("first", "1");
    return request;
  });
  recorded().send_result = Status(StatusCode::resource_exhausted, "too large");

  const FinishedCall& call = serve(method, "x");

  EXPECT_EQ(call.status, Status(StatusCode::resource_exhausted, "too large"));
  EXPECT_FALSE(call.has_message);
  EXPECT_EQ(totals().calls_ok.value(), 0u);
  EXPECT_EQ(totals().calls_failed.value(), 1u);
}

TEST_F(PlainCallsPath, AHandlerThatHasFailedKeepsItsStatusAndTheLogSaysWhatWasNotSent) {
  LoopMethod& method = handle<std::string, Empty>("Fail", [](const std::string&, ServerContext& shown) {
    shown.add_leading_metadata("first", "1");
    return Status(StatusCode::not_found, "no such thing");
  });
  recorded().send_result = Status(StatusCode::resource_exhausted, "too large");

  const FinishedCall& call = serve(method, "x");

  EXPECT_EQ(call.status, Status(StatusCode::not_found, "no such thing"));
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0].level, LogLevel::warning);
  EXPECT_EQ(logged[0].message, "too large");
  EXPECT_EQ(logged[0].method, "Fail");
}

TEST_F(PlainCallsPath, RespondsInTheCodecThatTheClientAsksFor) {
  const ScriptedCodec other([] { return Status(); });
  session::Event event = call_event("x");
  event.response_codec = &other;

  EXPECT_EQ(serve(echo(), std::move(event)).codec, &other);
}

TEST_F(PlainCallsPath, CompressesTheResponseLikeTheRequest) {
  make();
  const auto& compressors = state->options.compressors.compressors();
  if (compressors.empty()) GTEST_SKIP() << "this build has no compressor";
  session::Event event = call_event("x");
  event.compressor = compressors[0].get();
  LoopMethod& method = echo();

  EXPECT_EQ(serve(method, std::move(event)).compressor, compressors[0].get());
  EXPECT_EQ(serve(method, "y").compressor, nullptr) << "the next call has nothing of it";
}

TEST_F(PlainCallsPath, SendsTheErrorOfTheHandlerWithoutAMessage) {
  LoopMethod& method = plain("Fail", [](const std::string&, ServerContext& shown) -> Result<std::string> {
    shown.add_trailing_metadata("why", "none");
    return Status(StatusCode::not_found, "no such thing");
  });

  const FinishedCall& call = serve(method, "x");

  EXPECT_EQ(call.status, Status(StatusCode::not_found, "no such thing"));
  EXPECT_FALSE(call.has_message);
  EXPECT_FALSE(call.unprocessed) << "the handler has run";
  EXPECT_EQ(call.trailing.get("why"), "none");
  EXPECT_EQ(totals().calls_started.value(), 1u);
  EXPECT_EQ(totals().calls_failed.value(), 1u);
  EXPECT_EQ(totals().handler_exceptions.value(), 0u);
  EXPECT_TRUE(logged.empty());
}

TEST_F(PlainCallsPath, CountsAndLogsAResponseThatTheSessionCannotSend) {
  recorded().finish_result = Status(StatusCode::resource_exhausted, "longer than max_message_bytes");

  serve(echo(), "x");

  EXPECT_EQ(totals().calls_ok.value(), 0u);
  EXPECT_EQ(totals().calls_failed.value(), 1u);
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0].message, "longer than max_message_bytes");
  EXPECT_EQ(logged[0].method, "Echo");
  EXPECT_EQ(logged[0].peer, "test://peer");
}

TEST_F(PlainCallsPath, AResponseAfterTheDeadlineIsCountedAndNotLogged) {
  recorded().finish_result = Status(StatusCode::deadline_exceeded, "deadline exceeded");

  serve(echo(), "x");

  EXPECT_EQ(totals().calls_ok.value(), 0u);
  EXPECT_EQ(totals().calls_failed.value(), 1u);
  EXPECT_TRUE(logged.empty());
}

TEST_F(PlainCallsPath, CountsForItsMethodWhileStatisticsAreCollected) {
  make();
  LoopMethod& method = echo();
  serve(method, "before");
  context->metrics().start();

  serve(method, "hello");
  recorded().finish_result = Status(StatusCode::resource_exhausted, "too long");
  serve(method, "x");
  context->metrics().stop();

  ASSERT_NE(method.metrics, nullptr);
  const MethodMetrics& metrics = *method.metrics;
  EXPECT_EQ(metrics.started.value(), 2u);
  EXPECT_EQ(metrics.bytes_received.value(), 6u);
  EXPECT_EQ(metrics.bytes_sent.value(), 6u);
  EXPECT_EQ(metrics.finished[static_cast<std::size_t>(StatusCode::ok)].value(), 1u);
  EXPECT_EQ(metrics.finished[static_cast<std::size_t>(StatusCode::resource_exhausted)].value(), 1u);
  EXPECT_EQ(totals().calls_ok.value(), 2u) << "the totals count with and without statistics";
}

// --- requests that are refused ---

TEST_F(PlainCallsRefusal, ARequestThatDoesNotDecodeReachesNoHandler) {
  const ScriptedCodec broken([] { return Status(StatusCode::invalid_argument, "not parsed"); });
  session::Event event = call_event("x");
  event.codec = &broken;

  const FinishedCall& call = serve(echo(), std::move(event));

  EXPECT_EQ(call.status, Status(StatusCode::invalid_argument, "call Echo: not parsed"));
  EXPECT_TRUE(call.unprocessed);
  EXPECT_EQ(journal(), std::vector<std::string>{"finish 1"});
  EXPECT_EQ(totals().calls_refused.value(), 1u);
  EXPECT_EQ(totals().calls_started.value(), 0u);
  EXPECT_EQ(totals().calls_failed.value(), 0u);
}

TEST_F(PlainCallsRefusal, IsCountedForTheMethodWithItsCode) {
  make();
  context->metrics().start();
  const ScriptedCodec broken([] { return Status(StatusCode::invalid_argument, "not parsed"); });
  session::Event event = call_event("x");
  event.codec = &broken;
  LoopMethod& method = echo();

  serve(method, std::move(event));
  context->metrics().stop();

  EXPECT_EQ(method.metrics->started.value(), 1u);
  EXPECT_EQ(method.metrics->finished[static_cast<std::size_t>(StatusCode::invalid_argument)].value(), 1u);
}

TEST_F(PlainCallsRefusal, ARequestIsDecompressedBeforeItIsDecoded) {
  session::Event event = call_event("packed");
  event.is_compressed = true;
  recorded().decompressed = "unpacked";

  EXPECT_EQ(serve(echo(), std::move(event)).payload, "unpacked");
}

TEST_F(PlainCallsRefusal, ARequestThatCannotBeDecompressedReachesNoHandler) {
  session::Event event = call_event("packed");
  event.is_compressed = true;
  recorded().decompress_result = Status(StatusCode::internal, "corrupt");

  const FinishedCall& call = serve(echo(), std::move(event));

  EXPECT_EQ(call.status, Status(StatusCode::internal, "corrupt"));
  EXPECT_TRUE(call.unprocessed);
  EXPECT_EQ(totals().calls_refused.value(), 1u);
  EXPECT_EQ(journal(), std::vector<std::string>{"finish 1"});
}

TEST_F(PlainCallsRefusal, IsCountedAlthoughThePeerHasGone) {
  const ScriptedCodec broken([] { return Status(StatusCode::invalid_argument, "not parsed"); });
  session::Event event = call_event("x");
  event.codec = &broken;
  LoopMethod& method = echo();
  link().is_gone = true;

  link().plain.serve(recorded(), event, method);

  EXPECT_TRUE(recorded().finished.empty());
  EXPECT_EQ(totals().calls_refused.value(), 1u);
}

// --- exceptions ---

TEST_F(PlainCallsException, OfTheHandlerEndsItsCallAsInternalWithoutTheText) {
  LoopMethod& method =
      plain("Throw", [](const std::string&, ServerContext&) -> std::string { throw std::runtime_error("secret"); });

  const FinishedCall& call = serve(method, "x");

  EXPECT_EQ(call.status, Status(StatusCode::internal, "handler of Throw threw an exception"));
  EXPECT_FALSE(call.unprocessed);
  EXPECT_FALSE(call.has_message);
  EXPECT_EQ(totals().handler_exceptions.value(), 1u);
  EXPECT_EQ(totals().calls_failed.value(), 1u);
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0].level, LogLevel::error);
  EXPECT_EQ(logged[0].message, "handler of Throw threw an exception: secret");
}

TEST_F(PlainCallsException, TellsTheClientTheTextIfTheOptionsSaySo) {
  ServerOptions options;
  options.expose_exception_text = true;
  make(std::move(options));
  LoopMethod& method =
      plain("Throw", [](const std::string&, ServerContext&) -> std::string { throw std::runtime_error("known"); });

  EXPECT_EQ(serve(method, "x").status.message(), "handler of Throw threw an exception: known");
}

TEST_F(PlainCallsException, OfAnyTypeEndsOneCallAndTheNextIsServed) {
  LoopMethod& method = plain("Throw", [](const std::string& request, ServerContext&) {
    if (request == "memory") throw std::bad_alloc();
    if (request == "number") throw 7;
    return request;
  });

  const StatusCode of_memory = serve(method, "memory").status.code();
  const StatusCode of_number = serve(method, "number").status.code();
  const std::string after = serve(method, "fine").payload;

  EXPECT_EQ(of_memory, StatusCode::internal);
  EXPECT_EQ(of_number, StatusCode::internal);
  EXPECT_EQ(after, "fine");
  EXPECT_EQ(totals().handler_exceptions.value(), 2u);
  EXPECT_EQ(totals().calls_ok.value(), 1u);
}

/// A handler whose messages cannot be made.
class HandlerWithoutMessages final : public MethodHandler {
 public:
  explicit HandlerWithoutMessages(MethodShape shape) : MethodHandler(std::move(shape)) {}
  std::unique_ptr<CallMessages> make_messages() const override { throw std::bad_alloc(); }
};

TEST_F(PlainCallsException, OfTheMessagesConstructorRefusesTheCall) {
  LoopMethod& method =
      add("Poor", std::make_unique<HandlerWithoutMessages>(
                      detail::method_shape<std::string, std::string>(MethodKind::unary, Execution::plain, false)));

  const FinishedCall& call = serve(method, "x");

  EXPECT_EQ(call.status.code(), StatusCode::internal);
  EXPECT_TRUE(call.unprocessed);
  EXPECT_EQ(totals().calls_refused.value(), 1u);
  EXPECT_EQ(totals().handler_exceptions.value(), 1u);
  EXPECT_EQ(totals().calls_started.value(), 0u);
}

TEST_F(PlainCallsException, OfTheCodecThatDecodesRefusesTheCall) {
  const ScriptedCodec broken([]() -> Status { throw std::runtime_error("broken"); });
  session::Event event = call_event("x");
  event.codec = &broken;

  const FinishedCall& call = serve(echo(), std::move(event));

  EXPECT_EQ(call.status.code(), StatusCode::internal);
  EXPECT_TRUE(call.unprocessed);
  EXPECT_EQ(totals().calls_refused.value(), 1u);
  EXPECT_EQ(totals().handler_exceptions.value(), 1u);
}

TEST_F(PlainCallsException, OfTheSessionReachesTheConnectionAndCountsNoSuccess) {
  LoopMethod& method = echo();
  recorded().on_finish = [] { throw std::bad_alloc(); };

  EXPECT_THROW(serve(method, "x"), std::bad_alloc);

  EXPECT_EQ(totals().calls_started.value(), 1u);
  EXPECT_EQ(totals().calls_ok.value(), 0u);
}

// --- interceptors ---

TEST_F(PlainCallsInterception, SurroundsTheHandlerAndComesBeforeTheStatusIsSent) {
  make_intercepted();

  const FinishedCall& call = serve(echo(), "x");

  EXPECT_EQ(call.payload, "x");
  EXPECT_EQ(journal(), (std::vector<std::string>{"on_start", "handler", "on_finish", "finish 1"}));
  EXPECT_EQ(totals().calls_started.value(), 1u);
  EXPECT_EQ(totals().calls_ok.value(), 1u);
}

TEST_F(PlainCallsInterception, SeesTheCallAndChangesItsMetadata) {
  make_intercepted();
  on_start = [](CallInfo& call) {
    EXPECT_EQ(call.side, Side::server);
    EXPECT_EQ(call.method, "Look");
    EXPECT_EQ(call.peer, "test://peer");
    call.metadata->add("added", "here");
    return Status();
  };
  on_finish = [](CallInfo& call, Status&) { call.metadata->add("trailer", "there"); };
  std::string seen;
  LoopMethod& method = plain("Look", [&](const std::string&, ServerContext& shown) {
    seen = shown.metadata().get("added").value_or("none");
    return std::string();
  });

  const FinishedCall& call = serve(method, "x");

  EXPECT_EQ(seen, "here");
  EXPECT_EQ(call.trailing.get("trailer"), "there");
}

TEST_F(PlainCallsInterception, ThatRefusesKeepsTheRequestFromBeingDecoded) {
  make_intercepted();
  on_start = [](CallInfo&) { return Status(StatusCode::permission_denied, "not you"); };
  bool was_decoded = false;
  const ScriptedCodec watched([&] { return was_decoded = true, Status(); });
  session::Event event = call_event("x");
  event.codec = &watched;

  const FinishedCall& call = serve(echo(), std::move(event));

  EXPECT_EQ(call.status, Status(StatusCode::permission_denied, "not you"));
  EXPECT_TRUE(call.unprocessed);
  EXPECT_FALSE(was_decoded);
  EXPECT_EQ(journal(), (std::vector<std::string>{"on_start", "on_finish", "finish 1"}));
  EXPECT_EQ(totals().calls_started.value(), 1u);
  EXPECT_EQ(totals().calls_failed.value(), 1u);
  EXPECT_EQ(totals().calls_refused.value(), 0u);
}

TEST_F(PlainCallsInterception, LearnsOfARequestThatDoesNotDecode) {
  make_intercepted();
  StatusCode seen = StatusCode::ok;
  on_finish = [&](CallInfo&, Status& status) { seen = status.code(); };
  const ScriptedCodec broken([] { return Status(StatusCode::invalid_argument, "not parsed"); });
  session::Event event = call_event("x");
  event.codec = &broken;

  const FinishedCall& call = serve(echo(), std::move(event));

  EXPECT_EQ(seen, StatusCode::invalid_argument);
  EXPECT_EQ(call.status.code(), StatusCode::invalid_argument);
  EXPECT_TRUE(call.unprocessed);
  EXPECT_EQ(totals().calls_failed.value(), 1u) << "the interceptors have seen the call begin";
}

TEST_F(PlainCallsInterception, MayReplaceTheStatus) {
  make_intercepted();
  on_finish = [](CallInfo&, Status& status) { status = Status(StatusCode::aborted, "replaced"); };

  const FinishedCall& call = serve(echo(), "x");

  EXPECT_EQ(call.status, Status(StatusCode::aborted, "replaced"));
  EXPECT_FALSE(call.has_message);
  EXPECT_FALSE(call.unprocessed) << "the handler has run";
  EXPECT_EQ(totals().calls_failed.value(), 1u);
}

TEST_F(PlainCallsInterception, MayTurnARefusalIntoOkWithoutAMessage) {
  make_intercepted();
  on_start = [](CallInfo&) { return Status(StatusCode::permission_denied, "not you"); };
  on_finish = [](CallInfo&, Status& status) { status = Status(); };

  const FinishedCall& call = serve(echo(), "x");

  EXPECT_TRUE(call.status.is_ok());
  EXPECT_FALSE(call.has_message) << "no handler has made a response";
  EXPECT_EQ(totals().calls_ok.value(), 1u);
}

TEST_F(PlainCallsInterception, ThatThrowsEndsTheCall) {
  make_intercepted();
  on_start = [](CallInfo&) -> Status { throw std::runtime_error("x"); };

  const FinishedCall& at_start = serve(echo(), "x");
  EXPECT_EQ(at_start.status.code(), StatusCode::internal);
  EXPECT_TRUE(at_start.unprocessed);
  on_start = nullptr;
  on_finish = [](CallInfo&, Status&) { throw std::runtime_error("x"); };
  const FinishedCall& at_end = serve(echo(), "x");

  EXPECT_EQ(at_end.status.code(), StatusCode::internal);
  EXPECT_FALSE(at_end.unprocessed);
  EXPECT_EQ(totals().calls_failed.value(), 2u);
}

TEST_F(PlainCallsInterception, SeesTheStatusOfAHandlerThatThrows) {
  make_intercepted();
  StatusCode seen = StatusCode::ok;
  on_finish = [&](CallInfo&, Status& status) { seen = status.code(); };
  LoopMethod& method =
      plain("Throw", [](const std::string&, ServerContext&) -> std::string { throw std::runtime_error("x"); });

  serve(method, "x");

  EXPECT_EQ(seen, StatusCode::internal);
  EXPECT_EQ(totals().handler_exceptions.value(), 1u);
}

TEST_F(PlainCallsInterception, ThatHasBegunEarlyIsNotBegunAgain) {
  make_intercepted();
  on_start = [](CallInfo& call) {
    call.metadata->add("added", "early");
    return Status();
  };
  std::string seen;
  LoopMethod& method = plain("Look", [&](const std::string&, ServerContext& shown) {
    seen = shown.metadata().get("added").value_or("none");
    return std::string();
  });
  session::Event event = call_event("x");
  ASSERT_TRUE(link().exchange.early().begin(state->interceptors, event, method).is_ok());

  serve(method, std::move(event));

  EXPECT_EQ(seen, "early");
  EXPECT_EQ(journal(), (std::vector<std::string>{"on_start", "on_finish", "finish 1"}));
  EXPECT_TRUE(link().exchange.early().empty());
}

// --- from call to call ---

/// A handler that counts the messages that it makes.
class MessageCountingHandler final : public MethodHandler {
 public:
  MessageCountingHandler(MethodShape shape, int& made, std::function<Status()> run)
      : MethodHandler(std::move(shape)), made_(made), run_(std::move(run)) {}
  std::unique_ptr<CallMessages> make_messages() const override {
    ++made_;
    return std::make_unique<detail::TypedMessages<std::string, std::string>>();
  }
  Status run(CallMessages& messages, ServerContext&) override {
    auto& response = static_cast<detail::TypedMessages<std::string, std::string>&>(messages).typed_response();
    EXPECT_EQ(response, "") << "the response is cleared for each call";
    response = "response";
    return run_();
  }

 private:
  int& made_;
  const std::function<Status()> run_;
};

TEST_F(PlainCallsReuse, MessagesServeAllCallsHoweverTheseEnd) {
  int made = 0;
  std::function<Status()> how = [] { return Status(); };
  LoopMethod& method =
      add("Count", std::make_unique<MessageCountingHandler>(
                       detail::method_shape<std::string, std::string>(MethodKind::unary, Execution::plain, true), made,
                       [&] { return how(); }));
  const ScriptedCodec broken([] { return Status(StatusCode::invalid_argument, "not parsed"); });

  serve(method, "x");
  how = [] { return Status(StatusCode::aborted, "x"); };
  serve(method, "x");
  how = []() -> Status { throw std::runtime_error("x"); };
  serve(method, "x");
  session::Event event = call_event("x");
  event.codec = &broken;
  serve(method, std::move(event));
  how = [] { return Status(); };
  serve(method, "x");

  EXPECT_EQ(made, 1);
}

TEST_F(PlainCallsReuse, MessagesServeAllInterceptedCallsToo) {
  make_intercepted();
  int made = 0;
  LoopMethod& method =
      add("Count", std::make_unique<MessageCountingHandler>(
                       detail::method_shape<std::string, std::string>(MethodKind::unary, Execution::plain, true), made,
                       [] { return Status(); }));

  for (int i = 0; i < 3; ++i) serve(method, "x");

  EXPECT_EQ(made, 1);
}

TEST_F(PlainCallsReuse, MessagesOfALongRequestAreNotKept) {
  int made = 0;
  LoopMethod& method =
      add("Count", std::make_unique<MessageCountingHandler>(
                       detail::method_shape<std::string, std::string>(MethodKind::unary, Execution::plain, true), made,
                       [] { return Status(); }));
  const std::string longest(LoopMethod::max_reused_bytes + 1, 'x');

  serve(method, longest);
  serve(method, "x");

  EXPECT_EQ(made, 2);
}

TEST_F(PlainCallsReuse, NothingThatAHandlerSetsReachesTheNextCall) {
  LoopMethod& method = plain("Set", [](const std::string& request, ServerContext& shown) {
    EXPECT_FALSE(shown.is_cancelled());
    if (request == "set") {
      shown.add_leading_metadata("first", "1");
      shown.add_trailing_metadata("last", "2");
      shown.on_cancel([] { FAIL() << "the callback of an ended call"; });
    }
    return request;
  });

  serve(method, "set");
  const FinishedCall after = serve(method, "plain");

  EXPECT_TRUE(after.trailing.empty());
  EXPECT_EQ(recorded().sent.size(), 1u) << "leading metadata was sent for the first call alone";
}

TEST_F(PlainCallsReuse, NothingThatAHandlerSetBeforeItThrewReachesTheNextCall) {
  LoopMethod& method = plain("Set", [](const std::string& request, ServerContext& shown) {
    if (request != "set") return request;
    shown.add_trailing_metadata("last", "2");
    throw std::runtime_error("x");
  });

  const FinishedCall first = serve(method, "set");
  const FinishedCall after = serve(method, "plain");

  EXPECT_EQ(first.trailing.get("last"), "2") << "the client learns what the handler had to say";
  EXPECT_TRUE(after.trailing.empty());
}

}  // namespace

}  // namespace trunkline::server
