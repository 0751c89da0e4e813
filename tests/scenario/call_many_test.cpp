// SPDX-License-Identifier: MIT
// Channel::call_many() against a real server: responses in order, a bounded number of calls, errors in their place.
#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <gtest/gtest.h>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include <algorithm>
#include <atomic>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

namespace trunkline {

namespace {

class CallMany : public ::testing::TestWithParam<bool> {
 protected:
  CallMany() {
    server_.handle<std::string, std::string>(
        "Work", [this](const std::string& request, ServerContext& context) -> asio::awaitable<Result<std::string>> {
          const int now = ++running_;
          most_ = std::max(most_, now);
          ++runs_;
          const int number = std::stoi(request);
          // Later calls finish earlier.
          for (int hop = number % 7; hop < 7; ++hop) co_await asio::post(context.executor(), asio::use_awaitable);
          --running_;
          if (number % 10 == 3) co_return Status(StatusCode::aborted, request);
          co_return "re:" + request;
        });
    server_.listen("inproc://call-many");
    EXPECT_TRUE(server_.start().is_ok());
    options_.ordered = GetParam();
  }

  Server server_;
  ChannelOptions options_;
  /// Used on the server's loop only.
  int running_ = 0;
  int most_ = 0;
  std::atomic<int> runs_{0};
};

TEST_P(CallMany, DeliversResponsesAndErrorsInOrderWithinItsWindow) {
  constexpr int calls = 1000;
  constexpr int window = 16;
  std::vector<std::string> requests;
  for (int i = 0; i < calls; ++i) requests.push_back(std::to_string(i));
  Channel channel("inproc://call-many", options_);
  int wrong = 0;
  std::size_t next = 0;

  channel.call_many<std::string>("Work", requests, window, [&](std::size_t index, const Result<std::string>& response) {
    if (index != next++) ++wrong;
    const bool fails = index % 10 == 3;
    const bool is_right = fails ? response.status() == Status(StatusCode::aborted, requests[index])
                                : response.value_or("failed") == "re:" + requests[index];
    if (!is_right) ++wrong;
  });
  server_.stop();

  EXPECT_EQ(next, static_cast<std::size_t>(calls));
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(runs_, calls);
  EXPECT_LE(most_, GetParam() ? 1 : window);
  EXPECT_GT(most_, GetParam() ? 0 : 1) << "they run concurrently";
}

TEST_P(CallMany, TakesRequestsThatTheRangeMakesOnTheFly) {
  Channel channel("inproc://call-many", options_);
  std::vector<std::string> responses;
  auto requests = std::views::iota(4, 9) | std::views::transform([](int i) { return std::to_string(i); });

  channel.call_many<std::string>("Work", requests, 3, [&](std::size_t, const Result<std::string>& response) {
    responses.push_back(response.value_or("failed"));
  });

  EXPECT_EQ(responses, (std::vector<std::string>{"re:4", "re:5", "re:6", "re:7", "re:8"}));
}

TEST_P(CallMany, ASinkThatThrowsLeavesTheChannelUsable) {
  const std::vector<std::string> requests(100, "1");
  Channel channel("inproc://call-many", options_);
  int taken = 0;

  EXPECT_THROW(channel.call_many<std::string>("Work", requests, 8,
                                              [&](std::size_t, const Result<std::string>&) {
                                                if (++taken == 20) throw std::runtime_error("enough");
                                              }),
               std::runtime_error);
  const auto after = channel.call<std::string>("Work", std::string("5"));

  EXPECT_EQ(taken, 20);
  EXPECT_LE(runs_, 20 + 8 + 1);
  EXPECT_EQ(after.value_or("failed"), "re:5") << after.status().to_string();
}

TEST_P(CallMany, WithoutAServerEveryCallEndsWithTheReason) {
  server_.stop();
  options_.max_retries = 0;
  const std::vector<std::string> requests(20, "1");
  Channel channel("inproc://call-many", options_);
  int unavailable = 0;

  channel.call_many<std::string>("Work", requests, 4, [&](std::size_t, const Result<std::string>& response) {
    if (response.status().code() == StatusCode::unavailable && !response.status().may_have_run()) ++unavailable;
  });

  EXPECT_EQ(unavailable, 20);
  EXPECT_EQ(runs_, 0);
}

INSTANTIATE_TEST_SUITE_P(Channels, CallMany, ::testing::Bool(),
                         [](const auto& given) { return given.param ? "ordered" : "plain"; });

}  // namespace

}  // namespace trunkline
