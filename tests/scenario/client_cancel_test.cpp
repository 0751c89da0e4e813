// SPDX-License-Identifier: MIT
// Calls that their caller cancels: by a cancellation slot, with a coroutine, with the channel. The handler is notified.
#include "scenario/both_ends.h"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/use_awaitable.hpp>

#include <atomic>
#include <future>
#include <optional>
#include <string>
#include <thread>

namespace trunkline::scenario {

namespace {

class ClientCancel : public BothEnds {
 protected:
  /// Counts the cancellations of which its handlers are notified.
  void handle_telling(Gate& gate) {
    server().handle<std::string, std::string>(
        "Wait", [this, &gate](const std::string& request, ServerContext& context) -> asio::awaitable<std::string> {
          context.on_cancel([this, &context] { told += context.is_cancelled() ? 1 : 100; });
          co_await gate.pass();
          ++passed;
          co_return request;
        });
  }
  std::shared_ptr<Outcome> begin_cancellable(asio::cancellation_signal& signal, const CallOptions& options = {}) {
    auto outcome = std::make_shared<Outcome>();
    channel().async_call<std::string>(
        "Wait", std::string("x"), options,
        asio::bind_cancellation_slot(signal.slot(), [outcome](Result<std::string> result) {
          outcome->result = std::move(result);
          ++outcome->count;
        }));
    settle();
    return outcome;
  }

  int told = 0;
  int passed = 0;
};

TEST_F(ClientCancel, BySlotEndsTheCallAndNotifiesTheHandler) {
  Gate gate(loop());
  handle_telling(gate);
  asio::cancellation_signal signal;
  const auto outcome = begin_cancellable(signal);
  const int before = outcome->count;

  signal.emit(asio::cancellation_type::terminal);
  settle();

  EXPECT_EQ(before, 0);
  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::cancelled);
  EXPECT_TRUE(outcome->status().may_have_run());
  EXPECT_EQ(told, 1);
  EXPECT_EQ(passed, 0);
  EXPECT_EQ(gate.waiting(), 0);
  EXPECT_EQ(server().totals().calls_cancelled, 1u);
  EXPECT_EQ(server().totals().open_calls, 0u);
}

/// The server tells its clients how many calls it serves at once, but not which cancelled ones it still works on.
TEST_F(ClientCancel, TheNextCallsWaitForHandlersThatGoOn) {
  server_options.max_concurrent_calls_per_connection = 2;
  Gate gate(loop());
  server().handle<std::string, std::string>(
      "Wait", [&gate](const std::string& request, ServerContext&) -> asio::awaitable<std::string> {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        co_await gate.pass();
        co_return request;
      });
  handle_echo();
  server().handle_stream<std::string, std::string>(
      "EchoOne", [](ServerStream<std::string, std::string>& stream, ServerContext&) -> asio::awaitable<Status> {
        const auto message = co_await stream.async_read(asio::use_awaitable);
        if (!message.is_ok() || !*message) co_return Status(StatusCode::internal, "no message");
        co_return co_await stream.async_write(**message, asio::use_awaitable);
      });
  asio::cancellation_signal signals[2];
  for (asio::cancellation_signal& signal : signals) begin_cancellable(signal);

  for (asio::cancellation_signal& signal : signals) signal.emit(asio::cancellation_type::terminal);
  settle();
  const auto unary = begin("Echo", "unary");
  auto stream = channel().client_stream<std::string, std::string>(channel().method("EchoOne"));
  const auto streamed = std::make_shared<Outcome>();
  on_loop([&] {
    asio::co_spawn(
        loop().context(),
        [&]() -> asio::awaitable<void> {
          static_cast<void>(co_await stream.async_write_last("streamed", asio::use_awaitable));
          Result<std::optional<std::string>> read = co_await stream.async_read(asio::use_awaitable);
          streamed->result = read.is_ok() && *read ? Result<std::string>(**read) : Result<std::string>(read.status());
          ++streamed->count;
        },
        asio::detached);
  });
  const int done_early = unary->count + streamed->count;
  gate.open();
  settle();

  EXPECT_EQ(done_early, is_over_http1() ? 2 : 0);
  EXPECT_EQ(unary->text(), "unary");
  EXPECT_EQ(streamed->text(), "streamed");
  EXPECT_EQ(server().totals().calls_refused, 0u);
}

TEST_F(ClientCancel, EveryCancellationTypeCancels) {
  Gate gate(loop());
  handle_telling(gate);
  asio::cancellation_signal partial;
  asio::cancellation_signal total;
  const auto first = begin_cancellable(partial);
  const auto second = begin_cancellable(total);

  partial.emit(asio::cancellation_type::partial);
  total.emit(asio::cancellation_type::total);
  settle();

  EXPECT_EQ(first->status().code(), StatusCode::cancelled);
  EXPECT_EQ(second->status().code(), StatusCode::cancelled);
  EXPECT_EQ(told, 2);
}

TEST_F(ClientCancel, OfOneCallDoesNotAffectTheOthers) {
  Gate gate(loop());
  handle_telling(gate);
  asio::cancellation_signal signal;
  const auto other = begin("Wait", "y");
  const auto outcome = begin_cancellable(signal);

  signal.emit(asio::cancellation_type::terminal);
  settle();
  gate.open();
  settle();

  EXPECT_EQ(outcome->status().code(), StatusCode::cancelled);
  EXPECT_EQ(other->text(), "y");
  EXPECT_EQ(told, 1);
  EXPECT_EQ(passed, 1);
}

TEST_F(ClientCancel, BeforeThereIsAServerTheCallIsNeverSent) {
  asio::cancellation_signal signal;
  const auto outcome = begin_cancellable(signal, {.wait_for_ready = true});

  signal.emit(asio::cancellation_type::terminal);
  settle();
  Gate gate(loop());
  handle_telling(gate);
  advance(1min);

  EXPECT_EQ(outcome->status().code(), StatusCode::cancelled);
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_EQ(server().totals().calls_started, 0u);
}

TEST_F(ClientCancel, ACallWhoseCancellationRacesItsResponseEndsOnce) {
  Gate gate(loop());
  handle_telling(gate);
  asio::cancellation_signal signal;
  const auto outcome = begin_cancellable(signal);

  on_loop([&] {
    gate.open();
    signal.emit(asio::cancellation_type::terminal);
  });
  signal.emit(asio::cancellation_type::terminal);
  settle();

  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(server().totals().open_calls, 0u);
  EXPECT_EQ(server().totals().calls_ok + server().totals().calls_cancelled, 1u);
}

TEST_F(ClientCancel, OfACoroutineCancelsTheCallItAwaits) {
  Gate gate(loop());
  handle_telling(gate);
  asio::cancellation_signal signal;
  std::optional<Status> status;
  bool ended = false;
  Channel& through = channel();
  asio::co_spawn(
      event_loop->executor(),
      [&]() -> asio::awaitable<void> {
        const CallOptions options;
        const auto result =
            co_await through.async_call<std::string>("Wait", std::string("x"), options, asio::use_awaitable);
        status = result.status();
      },
      asio::bind_cancellation_slot(signal.slot(), [&](const std::exception_ptr&) { ended = true; }));
  settle();
  const int waiting = gate.waiting();

  signal.emit(asio::cancellation_type::terminal);
  settle();

  EXPECT_EQ(waiting, 1);
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->code(), StatusCode::cancelled);
  EXPECT_TRUE(ended);
  EXPECT_EQ(told, 1);
}

TEST_F(ClientCancel, DestroyingTheChannelNotifiesEveryHandler) {
  Gate gate(loop());
  handle_telling(gate);
  const auto first = begin("Wait", "a");
  const auto second = begin("Wait", "b", {.timeout = 1h});

  destroy_channel();
  settle();

  EXPECT_EQ(first->status().code(), StatusCode::cancelled);
  EXPECT_EQ(second->status().code(), StatusCode::cancelled);
  EXPECT_EQ(first->count + second->count, 2);
  EXPECT_EQ(told, 2);
  EXPECT_EQ(passed, 0);
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(ClientCancel, CloseThatRunsOutOfTimeNotifiesTheHandlers) {
  Gate gate(loop());
  handle_telling(gate);
  const auto outcome = begin("Wait", "x");
  Status closed;

  block_on_loop([&] { closed = channel().close(5s); });

  EXPECT_EQ(closed.code(), StatusCode::deadline_exceeded) << closed.to_string();
  EXPECT_EQ(outcome->status().code(), StatusCode::cancelled);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(begin("Wait", "late")->status().code(), StatusCode::failed_precondition);
}

TEST_F(ClientCancel, ReachesAHandlerThatBlocks) {
  std::promise<void> running;
  std::promise<void> saw_it;
  Server blocking;
  blocking.handle_blocking<Empty, Empty>("Work", [&](const Empty&, ServerContext& context) {
    running.set_value();
    while (!context.is_cancelled()) std::this_thread::yield();
    saw_it.set_value();
    return Status();
  });
  const Endpoint endpoint = blocking.listen("inproc://client-cancel");
  ASSERT_TRUE(blocking.start().is_ok());
  Channel to_blocking(endpoint.to_string());
  asio::cancellation_signal signal;
  std::promise<Status> ended;
  to_blocking.async_call<Empty>("Work", Empty{}, {},
                                asio::bind_cancellation_slot(signal.slot(), [&](const Result<Empty>& result) {
                                  ended.set_value(result.status());
                                }));
  running.get_future().wait();

  signal.emit(asio::cancellation_type::terminal);

  EXPECT_EQ(ended.get_future().get().code(), StatusCode::cancelled);
  saw_it.get_future().wait();
}

}  // namespace

}  // namespace trunkline::scenario
