// SPDX-License-Identifier: MIT
// Every kind of Asio completion token on calls and streams, and exceptions on either side of them.
#include "scenario/both_ends.h"

#include <asio/bind_executor.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/use_future.hpp>
#if __has_include(<asio/deferred.hpp>)
#include <asio/deferred.hpp>
#else
#include <asio/experimental/deferred.hpp>
#endif

#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace trunkline::scenario {

namespace {

using Text = std::string;
using Read = Result<std::optional<Text>>;
#if __has_include(<asio/deferred.hpp>)
using asio::deferred;
#else
using asio::experimental::deferred;
#endif

class CompletionToken : public BothEnds {
 protected:
  CompletionToken() {
    server().handle<Text, Text>("Run", [this](const Text& request, ServerContext&) -> Result<Text> {
      ++runs;
      if (request == "fail") return Status(StatusCode::aborted, "as asked");
      return "re:" + request;
    });
    server().handle_stream<Text, Text>("Echo",
                                       [](ServerStream<Text, Text>& stream, ServerContext&) -> asio::awaitable<Status> {
                                         const Read message = co_await stream.async_read(asio::use_awaitable);
                                         if (!message.is_ok() || !message.value().has_value())
                                           co_return message.status();
                                         const Text response = "re:" + *message.value();
                                         co_return co_await stream.async_write(response, asio::use_awaitable);
                                       });
  }

  int runs = 0;
};

TEST_F(CompletionToken, ACallbackMayBeMoveOnlyAndIsCalledOnce) {
  std::vector<Text> responses;
  auto owned = std::make_unique<Text>("mine ");

  channel().async_call<Text>("Run", Text("x"), {}, [&responses, owned = std::move(owned)](Result<Text> result) {
    responses.push_back(*owned + result.value_or("failed"));
  });
  settle();

  EXPECT_THAT(responses, ElementsAre("mine re:x"));
}

TEST_F(CompletionToken, ACallbackRunsOnItsExecutor) {
  asio::io_context elsewhere;
  std::optional<Text> response;
  channel().async_call<Text>("Run", Text("x"), {}, asio::bind_executor(elsewhere, [&](Result<Text> result) {
                               response = result.value_or("failed");
                             }));

  settle();
  const bool early = response.has_value();
  const std::size_t ran = elsewhere.run();

  EXPECT_FALSE(early);
  EXPECT_EQ(ran, 1u);
  EXPECT_EQ(response, "re:x");
}

TEST_F(CompletionToken, AFutureGetsTheResultOfSuccessAndFailure) {
  std::future<Result<Text>> good = channel().async_call<Text>("Run", Text("x"), {}, asio::use_future);
  std::future<Result<Text>> bad = channel().submit<Text>("Run", Text("fail"));
  std::future<Status> one_way = channel().async_call_oneway("Run", Text("y"), {}, asio::use_future);

  settle();

  ASSERT_EQ(good.wait_for(0s), std::future_status::ready);
  ASSERT_EQ(bad.wait_for(0s), std::future_status::ready);
  ASSERT_EQ(one_way.wait_for(0s), std::future_status::ready);
  EXPECT_EQ(good.get().value_or("failed"), "re:x");
  EXPECT_EQ(bad.get().status(), Status(StatusCode::aborted, "as asked"));
  EXPECT_TRUE(one_way.get().is_ok());
  EXPECT_EQ(runs, 3);
}

TEST_F(CompletionToken, AnAwaitableGivesErrorsAsValues) {
  Text response;
  Status error;
  Text filled;

  spawn([&]() -> asio::awaitable<void> {
    const CallOptions options;
    const Text request = "x";
    const Text failing = "fail";
    response = (co_await channel().async_call<Text>("Run", request, options, asio::use_awaitable)).value_or("failed");
    error = (co_await channel().async_call<Text>("Run", failing, options, asio::use_awaitable)).status();
    const Status status = co_await channel().async_call("Run", request, filled, options, asio::use_awaitable);
    EXPECT_TRUE(status.is_ok()) << status.to_string();
  });

  EXPECT_EQ(response, "re:x");
  EXPECT_EQ(error, Status(StatusCode::aborted, "as asked"));
  EXPECT_EQ(filled, "re:x");
}

TEST_F(CompletionToken, ADeferredCallBeginsWhenItIsInvoked) {
  const Text request = "x";
  std::optional<Text> response;

  auto later = channel().async_call<Text>("Run", request, {}, deferred);
  settle();
  const int runs_before = runs;
  std::move(later)([&](Result<Text> result) { response = result.value_or("failed"); });
  settle();

  EXPECT_EQ(runs_before, 0);
  EXPECT_EQ(response, "re:x");
}

TEST_F(CompletionToken, ADetachedCallRuns) {
  channel().async_call<Text>("Run", Text("x"), {}, asio::detached);
  channel().async_call_oneway("Run", Text("y"), {}, asio::detached);
  settle();

  EXPECT_EQ(runs, 2);
  EXPECT_EQ(server().totals().calls_ok, 2u);
}

TEST_F(CompletionToken, StreamsTakeFuturesDeferredAndDetachedToo) {
  auto stream = channel().stream<Text, Text>("Echo");
  const Text message = "x";

  auto write_later = stream.async_write(message, deferred);
  std::future<Read> read = stream.async_read(asio::use_future);
  settle();
  const bool early = read.wait_for(0s) == std::future_status::ready;
  std::move(write_later)(asio::detached);
  stream.async_close_writes(asio::detached);
  std::future<Status> finished = stream.async_finish(asio::use_future);
  settle();

  EXPECT_FALSE(early);
  ASSERT_EQ(read.wait_for(0s), std::future_status::ready);
  ASSERT_EQ(finished.wait_for(0s), std::future_status::ready);
  EXPECT_EQ(read.get().value_or(std::nullopt), "re:x");
  EXPECT_TRUE(finished.get().is_ok());
}

TEST_F(CompletionToken, ACoroutineHandlerThatThrowsIsInternalBeforeAndAfterItSuspends) {
  Gate gate(loop());
  server().handle<Text, Text>("Throw", [&](const Text& request, ServerContext&) -> asio::awaitable<Text> {
    if (request == "early") throw std::runtime_error("secret");
    co_await gate.pass();
    throw std::logic_error("secret");
  });

  const auto early = begin("Throw", "early");
  const auto late = begin("Throw", "late");
  const int late_count = late->count;
  gate.open();
  settle();
  const auto next = begin("Run", "x");

  EXPECT_EQ(early->status().code(), StatusCode::internal);
  EXPECT_EQ(late_count, 0);
  EXPECT_EQ(late->status().code(), StatusCode::internal);
  EXPECT_TRUE(late->status().may_have_run());
  EXPECT_EQ(next->text(), "re:x");
  EXPECT_EQ(server().totals().handler_exceptions, 2u);
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(CompletionToken, ACoroutineThatThrowsAfterItsCallDoesNotAffectOthers) {
  std::exception_ptr thrown;
  Channel& through = channel();
  asio::co_spawn(
      event_loop->executor(),
      [&]() -> asio::awaitable<void> {
        const CallOptions options;
        const Text request = "fail";
        const auto response = co_await through.async_call<Text>("Run", request, options, asio::use_awaitable);
        static_cast<void>(response.value());
      },
      [&](std::exception_ptr error) { thrown = std::move(error); });
  settle();

  const auto next = begin("Run", "x");

  ASSERT_NE(thrown, nullptr);
  EXPECT_THROW(std::rethrow_exception(thrown), StatusError);
  EXPECT_EQ(next->text(), "re:x");
}

TEST_F(CompletionToken, ACallMadeInACompletionCompletes) {
  std::vector<Text> responses;
  channel().async_call<Text>("Run", Text("1"), {}, [&](Result<Text> first) {
    responses.push_back(first.value_or("failed"));
    channel().async_call<Text>("Run", Text("2"), {},
                               [&](Result<Text> second) { responses.push_back(second.value_or("failed")); });
  });

  settle();

  EXPECT_THAT(responses, ElementsAre("re:1", "re:2"));
}

TEST(CompletionTokenThreads, AFutureNeedsNoLoopOfTheCaller) {
  Server server;
  server.handle<Text, Text>("Run", [](const Text& request, ServerContext&) { return "re:" + request; });
  const Endpoint endpoint = server.listen("inproc://completion-token");
  ASSERT_TRUE(server.start().is_ok());
  Channel channel(endpoint.to_string());

  std::vector<std::future<Result<Text>>> futures;
  for (int i = 0; i < 100; ++i) futures.push_back(channel.submit<Text>("Run", std::to_string(i)));

  for (int i = 0; i < 100; ++i) EXPECT_EQ(futures[i].get().value_or("failed"), "re:" + std::to_string(i));
}

}  // namespace

}  // namespace trunkline::scenario
