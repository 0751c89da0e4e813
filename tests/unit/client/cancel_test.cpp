// SPDX-License-Identifier: MIT
// Cancelled calls, and channels closed or destroyed with calls in flight.
#include "unit/client/client_fixture.h"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>

#include <future>
#include <thread>

namespace trunkline::client {

namespace {

/// A wait that fails: what a test waits for happens within a moment, or never.
constexpr auto too_long = 20s;

class Cancel : public ClientFixture {
 protected:
  Cancel() { network.on_call = nullptr; }
  std::shared_ptr<Outcome> begin_cancellable(asio::cancellation_signal& signal) {
    auto outcome = std::make_shared<Outcome>();
    on_loop([&, outcome] {
      channel().async_call<std::string>(
          "Echo", std::string("x"), {},
          asio::bind_cancellation_slot(signal.slot(), [outcome](Result<std::string> result) {
            outcome->result = std::move(result);
            ++outcome->count;
          }));
    });
    return outcome;
  }
  /// The status of a close() that is called on the loop, where a second passes with each turn.
  std::optional<Status> close_while_time_passes(std::chrono::nanoseconds timeout) {
    std::optional<Status> closed;
    const std::function<void()> let_time_pass = [&] {
      clock.advance(1s);
      if (!closed) event_loop->post(let_time_pass);
    };
    event_loop->post([&] {
      event_loop->post(let_time_pass);
      closed = channel().close(timeout);
    });
    settle();
    return closed;
  }
};

TEST_F(Cancel, AnOpenCallIsCancelledOnTheServer) {
  asio::cancellation_signal signal;
  const auto outcome = begin_cancellable(signal);

  on_loop([&] { signal.emit(asio::cancellation_type::terminal); });

  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::cancelled);
  EXPECT_EQ(outcome->status().message(), "call Echo: cancelled by the caller");
  EXPECT_EQ(network.server(0).cancelled.size(), 1u);
}

TEST_F(Cancel, AWaitingCallIsNeverSent) {
  network.is_slow = true;
  asio::cancellation_signal signal;
  const auto outcome = begin_cancellable(signal);

  on_loop([&] { signal.emit(asio::cancellation_type::total); });
  on_loop([&] { network.make_connections(); });

  EXPECT_EQ(outcome->status().code(), StatusCode::cancelled);
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_TRUE(network.server(0).calls.empty());
}

TEST_F(Cancel, AfterTheEndItDoesNothing) {
  asio::cancellation_signal signal;
  const auto outcome = begin_cancellable(signal);
  on_loop([&] { network.server(0).respond(network.server(0).calls[0].id, "done"); });

  on_loop([&] { signal.emit(asio::cancellation_type::terminal); });

  EXPECT_EQ(outcome->text(), "done");
  EXPECT_EQ(outcome->count, 1);
}

TEST_F(Cancel, TwiceEndsTheCallOnce) {
  asio::cancellation_signal signal;
  const auto outcome = begin_cancellable(signal);

  on_loop([&] {
    signal.emit(asio::cancellation_type::terminal);
    signal.emit(asio::cancellation_type::terminal);
  });

  EXPECT_EQ(outcome->count, 1);
}

TEST_F(Cancel, DestroyingTheChannelCancelsEveryCall) {
  const auto open = begin("open");
  const auto retried = begin("y", {.idempotent = true});

  on_loop([&] { destroy_channel(); });

  EXPECT_EQ(open->count, 1);
  EXPECT_EQ(open->status().code(), StatusCode::cancelled);
  EXPECT_THAT(std::string(open->status().message()), HasSubstr("call Echo: the channel is closed"));
  EXPECT_EQ(retried->count, 1);
  EXPECT_EQ(retried->status().code(), StatusCode::cancelled);
}

TEST_F(Cancel, DestroyingTheChannelWhileItsLoopDoesNotRun) {
  const auto open = begin("open");

  destroy_channel();

  EXPECT_EQ(open->count, 1);
  EXPECT_EQ(open->status().code(), StatusCode::cancelled);
  settle();
  EXPECT_TRUE(network.server(0).closed);
}

TEST_F(Cancel, DestroyingTheChannelInsideACompletion) {
  network.on_call = echo;
  int completed = 0;

  on_loop([&] {
    channel().async_call<std::string>("Echo", std::string("x"), {}, [&](Result<std::string>) {
      ++completed;
      destroy_channel();
    });
    channel().async_call<std::string>("Echo", std::string("y"), {}, [&](Result<std::string>) { ++completed; });
  });

  EXPECT_EQ(completed, 2);
}

TEST_F(Cancel, DestroyingTheChannelWhileItConnects) {
  network.is_slow = true;
  const auto waiting = begin("x");

  on_loop([&] { destroy_channel(); });
  on_loop([&] { network.make_connections(); });

  EXPECT_EQ(waiting->count, 1);
  EXPECT_EQ(waiting->status().code(), StatusCode::cancelled);
  EXPECT_FALSE(waiting->status().may_have_run());
}

TEST_F(Cancel, CloseLetsOpenCallsEnd) {
  const auto open = begin("open");
  std::optional<Status> closed;
  bool closing = false;

  event_loop->post([&] {
    closing = true;
    // The response comes while close() waits.
    event_loop->post([&] { network.server(0).respond(network.server(0).calls[0].id, "in time"); });
    closed = channel().close(10s);
  });
  settle();

  EXPECT_TRUE(closing);
  EXPECT_EQ(closed, Status());
  EXPECT_EQ(open->text(), "in time");
  EXPECT_EQ(channel().state(), ChannelState::closed);
}

TEST_F(Cancel, CloseCancelsWhatDoesNotEndInTime) {
  const auto open = begin("open");

  const std::optional<Status> closed = close_while_time_passes(10s);

  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(closed->message(), "close channel: 1 calls were cancelled, they had not ended after 10000 ms");
  EXPECT_EQ(open->status().code(), StatusCode::cancelled);
}

TEST_F(Cancel, CompletionsMayWaitUntilCloseHasCutThemOff) {
  std::promise<Status> closed;
  auto is_closed = closed.get_future();
  std::optional<std::future_status> seen;
  on_loop([&] {
    channel().async_call<std::string>("Echo", std::string("x"), {},
                                      [&](const Result<std::string>&) { seen = is_closed.wait_for(too_long); });
  });

  std::thread closer([&, &on = channel()] { closed.set_value(on.close(10s)); });
  while (!seen) {
    settle();
    if (channel().state() == ChannelState::closed) clock.advance(1s);
    std::this_thread::yield();
  }
  closer.join();

  EXPECT_EQ(seen, std::future_status::ready);
  EXPECT_EQ(is_closed.get().code(), StatusCode::deadline_exceeded);
}

TEST_F(Cancel, CompletionsMayRunTheLoopWhileCloseCutsThemOff) {
  std::optional<Status> nested;
  on_loop([&] {
    channel().async_call<std::string>("Echo", std::string("x"), {}, [&](const Result<std::string>&) {
      nested = channel().call<std::string>("Echo", std::string("y")).status();
    });
  });

  const std::optional<Status> closed = close_while_time_passes(10s);

  ASSERT_TRUE(closed && nested);
  EXPECT_EQ(closed->code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(nested->code(), StatusCode::failed_precondition);
}

TEST_F(Cancel, CallsOnAClosedChannelFail) {
  begin("connect");
  network.server(0).on_call = echo;
  on_loop([&] { network.server(0).respond(network.server(0).calls[0].id, "done"); });
  on_loop([&] { EXPECT_EQ(channel().close(1s), Status()); });

  const auto outcome = begin("x");
  std::optional<Status> again;
  on_loop([&] { again = channel().close(1s); });

  EXPECT_EQ(outcome->status().code(), StatusCode::failed_precondition);
  EXPECT_EQ(outcome->status().message(), "call Echo: the channel is closed");
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_EQ(again, Status());
}

}  // namespace

}  // namespace trunkline::client
