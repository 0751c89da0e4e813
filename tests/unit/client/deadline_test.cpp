// SPDX-License-Identifier: MIT
// Deadlines: where they come from, when they expire, and the text of the error.
#include "call/inherited_deadline.h"
#include "unit/client/client_fixture.h"

#include <trunkline/server_context.h>

#include <span>
#include <string>

namespace trunkline::client {

namespace {

class CallDeadline : public ClientFixture {
 protected:
  CallDeadline() {
    network.on_call = nullptr;  // calls stay open
  }
};

TEST_F(CallDeadline, EndsTheCallAndCancelsItOnTheServer) {
  const auto outcome = begin("x", {.timeout = 30s});
  advance(29s);
  EXPECT_FALSE(outcome->is_done());

  advance(2s);

  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(outcome->status().message(),
            "call Echo: deadline exceeded after 30000 ms waiting for the response of inproc://fake");
  EXPECT_TRUE(outcome->status().may_have_run());
  EXPECT_EQ(network.server(0).cancelled.size(), 1u);
}

TEST_F(CallDeadline, TravelsAsTimeLeft) {
  begin("x", {.timeout = 5s});

  EXPECT_EQ(network.server(0).calls[0].deadline, clock.now() + 5s);
}

TEST_F(CallDeadline, ZeroOrNegativeFailsAtOnceWithoutBeingSent) {
  begin("connect");

  const auto zero = begin("x", {.timeout = 0s});
  const auto negative = begin("x", {.timeout = -5s});

  EXPECT_EQ(zero->status().code(), StatusCode::deadline_exceeded);
  EXPECT_THAT(std::string(zero->status().message()),
              HasSubstr("call Echo: deadline exceeded after 0 ms, before it was sent"));
  EXPECT_FALSE(zero->status().may_have_run());
  EXPECT_EQ(negative->status().code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(network.server(0).calls.size(), 1u);
}

TEST_F(CallDeadline, TheEarlierOfTimeoutAndDeadlineCounts) {
  CallOptions both{.timeout = 10s};
  both.deadline = clock.now() + 3s;

  begin("x", both);

  EXPECT_EQ(network.server(0).calls[0].deadline, clock.now() + 3s);
}

TEST_F(CallDeadline, DefaultTimeoutCountsWhereNoneIsGiven) {
  options.default_timeout = 7s;

  begin("x");
  begin("x", {.timeout = 60s});

  EXPECT_EQ(network.server(0).calls[0].deadline, clock.now() + 7s);
  EXPECT_EQ(network.server(0).calls[1].deadline, clock.now() + 60s);
}

TEST_F(CallDeadline, IsInheritedFromTheHandlerOnThisThread) {
  begin("connect");

  on_loop([&] {
    const call::InheritedDeadline::Scope handler(clock.now() + 4s);
    channel().async_call<std::string>("Echo", std::string("x"), {}, [](Result<std::string>) {});
    channel().async_call<std::string>("Echo", std::string("x"), {.timeout = 9s}, [](Result<std::string>) {});
  });
  begin("after");

  EXPECT_EQ(network.server(0).calls[1].deadline, clock.now() + 4s);
  EXPECT_EQ(network.server(0).calls[2].deadline, clock.now() + 9s);
  EXPECT_EQ(network.server(0).calls[3].deadline, base::never);
}

class FakeContext final : public ServerContext {
 public:
  explicit FakeContext(base::TimePoint deadline) : deadline_(deadline) {}
  std::string_view method() const noexcept override { return "Outer"; }
  std::string_view peer() const noexcept override { return {}; }
  std::string_view certificate_subject() const noexcept override { return {}; }
  std::span<const std::string> certificate_names() const noexcept override { return {}; }
  std::string_view certificate_pem() const noexcept override { return {}; }
  std::string_view user_agent() const noexcept override { return {}; }
  const Metadata& metadata() const noexcept override { return metadata_; }
  base::TimePoint deadline() const noexcept override { return deadline_; }
  std::chrono::nanoseconds time_left() const noexcept override { return {}; }
  bool is_cancelled() const noexcept override { return false; }
  void on_cancel(std::function<void()>) override {}
  bool is_draining() const noexcept override { return false; }
  void on_drain(std::function<void()>) override {}
  unsigned priority() const noexcept override { return 0; }
  Status shed(std::string_view) override { return {}; }
  void add_leading_metadata(std::string_view, std::string_view) override {}
  void send_leading_metadata() override {}
  void add_trailing_metadata(std::string_view, std::string_view) override {}
  bool set_compressor(std::string_view) override { return false; }
  void disconnect() override {}
  asio::any_io_executor executor() const noexcept override { return {}; }

 private:
  base::TimePoint deadline_;
  Metadata metadata_;
};

TEST_F(CallDeadline, IsInheritedFromTheParentInTheOptions) {
  const FakeContext parent(clock.now() + 6s);
  CallOptions call_options;
  call_options.parent = &parent;

  begin("x", call_options);

  EXPECT_EQ(network.server(0).calls[0].deadline, clock.now() + 6s);
}

TEST_F(CallDeadline, ExpiresWhileConnecting) {
  network.is_slow = true;

  const auto outcome = begin("x", {.timeout = 1s});
  advance(1100ms);

  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(outcome->status().message(),
            "call Echo: deadline exceeded after 1000 ms waiting for a connection to inproc://fake");
  EXPECT_FALSE(outcome->status().may_have_run());
}

TEST_F(CallDeadline, TextHasTheLastErrorOfConnecting) {
  network.refusals = 1000;

  const auto outcome = begin("x", {.timeout = 1s, .wait_for_ready = true});
  for (int i = 0; i < 20; ++i) advance(100ms);

  EXPECT_THAT(
      std::string(outcome->status().message()),
      HasSubstr(
          "waiting for a connection to inproc://fake; the last error: connect inproc://fake: connection refused"));
}

}  // namespace

}  // namespace trunkline::client
