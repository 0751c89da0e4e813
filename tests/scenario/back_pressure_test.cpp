// SPDX-License-Identifier: MIT
// Many long messages at once: they wait for one another, and none fails.
#include "scenario/both_ends.h"

#include <algorithm>
#include <deque>
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

TEST_F(BackPressure, FailsNoUploadToASlowHandler) {
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
    for (int i = 0; i < 300; ++i) {
      auto outcome = calls.emplace_back(std::make_shared<Outcome>());
      channel().async_call<std::string>("Upload", body, {}, [outcome](Result<std::string> result) {
        outcome->result = std::move(result);
        ++outcome->count;
      });
    }
  });

  for (std::size_t i = 0; i < gates.size(); ++i) on_loop([&] { gates[i].open(); });

  EXPECT_EQ(count_ok(calls), 300) << first_error(calls);
  EXPECT_EQ(calls[0]->text(), std::to_string(3 * mib));
  destroy_channel();
  stop_server();
}

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

}  // namespace
}  // namespace trunkline::scenario
