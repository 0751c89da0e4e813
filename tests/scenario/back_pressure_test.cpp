// SPDX-License-Identifier: MIT
// Many long messages at once: they wait for one another, and none fails.
#include "scenario/both_ends.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <vector>

namespace trunkline::scenario {
namespace {

constexpr std::size_t mib = 1 << 20;

class BackPressure : public BothEnds, public ::testing::WithParamInterface<int> {
 protected:
  int count_ok(const std::vector<std::shared_ptr<Outcome>>& calls) {
    return static_cast<int>(std::count_if(calls.begin(), calls.end(), [](const std::shared_ptr<Outcome>& call) {
      return call->count == 1 && call->status().is_ok();
    }));
  }
  /// Over gRPC a call that comes while memory is short is refused, and repeated after a pause. A second is enough for
  /// all.
  void let_refused_calls_repeat(const std::vector<std::shared_ptr<Outcome>>& calls, const std::function<void()>& then) {
    if (!is_over_http()) return;
    for (int i = 0; i < 10 && count_ok(calls) < static_cast<int>(calls.size()); ++i) {
      advance(std::chrono::milliseconds(100));
      then();
    }
  }
  std::string first_error(const std::vector<std::shared_ptr<Outcome>>& calls) {
    for (const auto& call : calls) {
      if (call->count != 1) return "a call without an end";
      if (!call->status().is_ok()) return call->status().to_string();
    }
    return {};
  }
};

TEST_P(BackPressure, FailsNoCallWithALongResponse) {
  server().handle<std::string, std::string>(
      "Long",
      [](const std::string&, ServerContext&) -> asio::awaitable<std::string> { co_return std::string(mib, 'r'); });
  std::vector<std::shared_ptr<Outcome>> calls;
  std::size_t bytes = 0;

  on_loop([&] {
    for (int i = 0; i < GetParam(); ++i) {
      auto outcome = calls.emplace_back(std::make_shared<Outcome>());
      channel().async_call<std::string>("Long", std::string("x"), {}, [outcome, &bytes](Result<std::string> result) {
        if (result.is_ok()) bytes += result->size();
        if (result.is_ok()) result = std::string();
        outcome->result = std::move(result);
        ++outcome->count;
      });
    }
  });

  let_refused_calls_repeat(calls, [] {});

  EXPECT_EQ(count_ok(calls), GetParam()) << first_error(calls);
  EXPECT_EQ(bytes, static_cast<std::size_t>(GetParam()) * mib);
}
INSTANTIATE_TEST_SUITE_P(Calls, BackPressure, ::testing::Values(200, 400, 2000));

TEST_F(BackPressure, FailsNoCallWhoseHandlerRespondsTogetherWithTheOthers) {
  Gate gate(loop());
  server().handle<std::string, std::string>(
      "Long", [&gate](const std::string&, ServerContext&) -> asio::awaitable<std::string> {
        co_await gate.pass();
        co_return std::string(mib, 'r');
      });
  std::vector<std::shared_ptr<Outcome>> calls;
  for (int i = 0; i < 200; ++i) calls.push_back(begin("Long", "x"));
  EXPECT_EQ(gate.waiting(), 200);

  on_loop([&] { gate.open(); });

  EXPECT_EQ(count_ok(calls), 200) << first_error(calls);
}

class SlowUploads : public BackPressure {};

TEST_P(SlowUploads, AllSucceed) {
  std::deque<Gate> gates;
  server().handle<Slice, std::string>("Upload",
                                      [&](const Slice& request, ServerContext&) -> asio::awaitable<std::string> {
                                        const std::size_t size = request.size();
                                        co_await gates.emplace_back(loop()).pass();
                                        co_return std::to_string(size);
                                      });
  const Slice body = Slice::copy_of(std::string(3 * mib, 'u'));
  std::vector<std::shared_ptr<Outcome>> calls;
  on_loop([&] {
    for (int i = 0; i < GetParam(); ++i) {
      auto outcome = calls.emplace_back(std::make_shared<Outcome>());
      channel().async_call<std::string>("Upload", body, {}, [outcome](Result<std::string> result) {
        outcome->result = std::move(result);
        ++outcome->count;
      });
    }
  });

  std::size_t opened = 0;
  const auto open_gates = [&] {
    for (; opened < gates.size(); ++opened) on_loop([&] { gates[opened].open(); });
  };
  open_gates();
  let_refused_calls_repeat(calls, open_gates);

  EXPECT_EQ(count_ok(calls), GetParam()) << first_error(calls);
  EXPECT_EQ(calls[0]->text(), std::to_string(3 * mib));
  destroy_channel();
  stop_server();
}
INSTANTIATE_TEST_SUITE_P(Uploads, SlowUploads, ::testing::Values(60, 300));

TEST_F(BackPressure, LetsAShortCallPassSlowOnesWithLongRequests) {
  Gate gate(loop());
  handle_waiting(gate);
  handle_echo();
  std::vector<std::shared_ptr<Outcome>> slow;
  for (int i = 0; i < 200; ++i) slow.push_back(begin("Wait", std::string(100 << 10, 's')));
  EXPECT_EQ(gate.waiting(), 200);

  const auto echo = begin("Echo", "12345678");

  ASSERT_EQ(echo->count, 1);
  EXPECT_EQ(echo->text(), "12345678");

  on_loop([&] { gate.open(); });
  EXPECT_EQ(count_ok(slow), 200) << first_error(slow);
}

/// Uploads of 3 MiB each to handlers that keep them until their gates open.
class HeldRequests : public BackPressure {
 protected:
  HeldRequests() {
    server_options.limits.max_message_bytes = 4 * mib;
    // What comes of requests that wait takes little.
    server_options.limits.call_credit_bytes = 64 << 10;
    server_options.max_memory_bytes = 64 * mib;
  }
  void handle_uploads() {
    server().handle<Slice, std::string>("Upload",
                                        [&](const Slice& request, ServerContext&) -> asio::awaitable<std::string> {
                                          const std::size_t size = request.size();
                                          co_await gates.emplace_back(loop()).pass();
                                          co_return std::to_string(size);
                                        });
  }
  void upload(int count) {
    const Slice body = Slice::copy_of(std::string(3 * mib, 'u'));
    on_loop([&] {
      for (int i = 0; i < count; ++i) {
        auto outcome = calls.emplace_back(std::make_shared<Outcome>());
        channel().async_call<std::string>("Upload", body, {}, [outcome](Result<std::string> result) {
          outcome->result = std::move(result);
          ++outcome->count;
        });
      }
    });
  }
  void end() {
    destroy_channel();
    stop_server();
  }

  std::deque<Gate> gates;
  std::vector<std::shared_ptr<Outcome>> calls;
};

TEST_F(HeldRequests, LetFurtherOnesWaitBeforeTheyAreReceived) {
  handle_uploads();
  handle_echo();
  upload(60);
  std::size_t most_at_once = gates.size();
  std::uint64_t most_held = server().totals().memory_used_bytes;
  const auto echo = begin("Echo", "12345678");
  const std::unique_ptr<Channel> other = make_channel();
  const auto echo_of_other = std::make_shared<Outcome>();
  on_loop([&] {
    other->async_call<std::string>("Echo", std::string("abc"), {}, [echo_of_other](Result<std::string> result) {
      echo_of_other->result = std::move(result);
      ++echo_of_other->count;
    });
  });
  if (!is_over_http1()) {
    EXPECT_EQ(echo_of_other->text(), "abc") << "it is neither refused nor does it wait";
  }

  std::size_t opened = 0;
  const auto open_gates = [&] {
    for (; opened < gates.size(); ++opened) {
      on_loop([&] { gates[opened].open(); });
      most_at_once = std::max(most_at_once, gates.size() - opened);
      most_held = std::max(most_held, server().totals().memory_used_bytes);
    }
  };
  open_gates();
  calls.push_back(echo);
  let_refused_calls_repeat(calls, open_gates);

  EXPECT_EQ(count_ok(calls), 61) << first_error(calls);
  EXPECT_EQ(echo->text(), "12345678") << "short calls pass";
  EXPECT_GE(most_at_once, 5u);
  EXPECT_LE(most_at_once, is_over_http1() ? 16u : 10u);
  EXPECT_GE(most_held, 15 * mib);
  EXPECT_LE(most_held, (is_over_http1() ? 52 : 40) * mib)
      << "three eighths, over HTTP/1.1 three quarters, and what the calls' credits let pass";
  end();
}

/// Streams whose second messages nobody reads take more than half of the memory.
class ShortMemory : public HeldRequests {
 protected:
  static constexpr int stream_count = 12;

  // Otherwise the client would have used up the share of its address.
  ShortMemory() { server_options.max_memory_percent_per_peer = 100; }
  void use_up() {
    server().handle_client_stream<std::string, std::string>(
        "Keep", [this](ServerReader<std::string>& reader, std::string&, ServerContext&) -> asio::awaitable<Status> {
          static_cast<void>(co_await reader.async_read(asio::use_awaitable));
          co_await gate_.pass();
          co_return Status();
        });
    for (int i = 0; i < stream_count; ++i) {
      auto& stream = streams_.emplace_back(channel().client_stream<std::string, std::string>("Keep"));
      stream.async_write("short", [](const Status&) {});
      settle();
      stream.async_write(std::string(3 * mib, 'k'), [](const Status&) {});
      settle();
    }
    EXPECT_GT(server().totals().memory_used_bytes, 32 * mib);
  }
  /// In steps, so that each pause before a retry ends on time.
  void pass(std::chrono::milliseconds time) {
    for (std::chrono::milliseconds passed{0}; passed < time; passed += 1ms) advance(1ms);
  }
  void free() {
    on_loop([this] { gate_.open(); });
    streams_.clear();
    settle();
  }
  void handle_counted() {
    server().handle<std::string, std::string>(
        "Count", [this](const std::string& request, ServerContext&) { return ++runs_, request; });
  }

  int runs_ = 0;
  Gate gate_{loop()};
  std::deque<ClientStream<std::string, std::string>> streams_;
};

TEST_F(ShortMemory, RefusesNewCallsThatHaveNotRun) {
  handle_counted();
  use_up();

  const auto call = begin("Count", "x");
  const bool ended_at_once = call->count == 1;
  // Over gRPC it is repeated three times: after 100, 160 and 256 ms.
  pass(510ms);
  const bool ended_before_the_last_pause = call->count == 1;
  pass(10ms);

  EXPECT_EQ(ended_at_once, !is_over_http());
  EXPECT_EQ(ended_before_the_last_pause, !is_over_http());
  EXPECT_EQ(call->status().code(), is_over_http() ? StatusCode::unavailable : StatusCode::resource_exhausted);
  EXPECT_FALSE(call->status().may_have_run());
  EXPECT_EQ(call->count, 1);
  EXPECT_EQ(runs_, 0);
  EXPECT_EQ(server().totals().connections_accepted, 1u);
  end();
}

TEST_F(ShortMemory, OfGrpcsServerLetsRepeatedCallsPassOnceThereIsSome) {
  if (!is_over_http()) GTEST_SKIP() << "the native protocol repeats no call that is refused with resource_exhausted";
  handle_counted();
  use_up();
  std::vector<std::shared_ptr<Outcome>> calls;

  for (int i = 0; i < 100; ++i) calls.push_back(begin("Count", "x"));
  pass(150ms);
  free();
  const int runs_before = runs_;
  pass(150ms);

  EXPECT_EQ(runs_before, 0);
  EXPECT_EQ(count_ok(calls), 100) << first_error(calls);
  EXPECT_EQ(runs_, 100);
  end();
}

TEST_F(ShortMemory, EndsRepeatedCallsWithTheirDeadline) {
  if (!is_over_http()) GTEST_SKIP() << "the native protocol repeats no call that is refused with resource_exhausted";
  handle_counted();
  use_up();

  const auto call = begin("Count", "x", {.timeout = 200ms});
  pass(195ms);
  const bool ended_early = call->count > 0;
  pass(10ms);

  EXPECT_FALSE(ended_early);
  EXPECT_EQ(call->status().code(), StatusCode::deadline_exceeded);
  EXPECT_FALSE(call->status().may_have_run());
  EXPECT_EQ(runs_, 0);
  end();
}

/// Each retry is paid for by the channel's budget, which has 1000 of them.
TEST_F(ShortMemory, MakesNoStormOfRepeatedCalls) {
  if (!is_over_http()) GTEST_SKIP() << "the native protocol repeats no call that is refused with resource_exhausted";
  handle_counted();
  use_up();
  std::vector<std::shared_ptr<Outcome>> calls;

  for (int i = 0; i < 2000; ++i) calls.push_back(begin("Count", "x"));
  const auto ended_without_retry =
      std::count_if(calls.begin(), calls.end(), [](const auto& call) { return call->count == 1; });
  pass(520ms);

  // A stream that is refused is retried as well.
  EXPECT_GE(ended_without_retry, 1000);
  EXPECT_LE(ended_without_retry, 1000 + stream_count);
  for (const auto& call : calls) {
    EXPECT_EQ(call->count, 1);
    EXPECT_EQ(call->status().code(), StatusCode::unavailable);
    EXPECT_FALSE(call->status().may_have_run()) << call->status().to_string();
  }
  EXPECT_EQ(server().totals().connections_accepted, 1u);
  EXPECT_EQ(runs_, 0);
  end();
}

TEST_F(BackPressure, ShowsInTheTotalsOfTheServerAndTheUsageOfTheChannel) {
  server_options.max_memory_bytes = 300 << 20;
  channel_options.max_memory_bytes = 260 << 20;
  server().handle_client_stream<std::string, std::string>(
      "Ignore", [this](ServerReader<std::string>&, std::string&, ServerContext&) -> asio::awaitable<Status> {
        co_await Gate(loop()).pass();
        co_return Status();
      });
  server().handle_server_stream<std::string, std::string>(
      "Flood", [](const std::string&, ServerWriter<std::string>& writer, ServerContext&) -> asio::awaitable<Status> {
        co_return co_await writer.async_write(std::string(mib / 2, 'r'), asio::use_awaitable);
      });
  auto ignored = channel().client_stream<std::string, std::string>("Ignore");
  auto unread = channel().server_stream<std::string>("Flood", std::string("go"));
  settle();
  const MemoryUsage before = channel().memory_usage();

  ignored.async_write(std::string(mib / 2, 'w'), [](const Status&) {});
  settle();

  EXPECT_EQ(server().totals().memory_max_bytes, 300u << 20);
  EXPECT_GE(server().totals().memory_used_bytes, mib / 2);
  EXPECT_LE(server().totals().memory_used_bytes, 2 * mib);
  EXPECT_EQ(before.max_bytes, 260u << 20);
  EXPECT_GE(before.used_bytes, mib / 2);
  EXPECT_LE(before.used_bytes, 2 * mib);
  destroy_channel();
  settle();
  EXPECT_EQ(server().totals().memory_used_bytes, 0u);
  stop_server();
}

}  // namespace
}  // namespace trunkline::scenario
