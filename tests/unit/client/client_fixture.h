// SPDX-License-Identifier: MIT
// ClientFixture: a channel on a loop with virtual time, connected to servers that the test plays.
#pragma once

#include "client/channel_core.h"
#include "kit/manual_clock.h"
#include "unit/client/fake_server.h"

#include <trunkline/channel.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

namespace trunkline::client {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// The outcome of an asynchronous call, and how often the call completed.
struct Outcome {
  std::optional<Result<std::string>> result;
  int count = 0;

  bool is_done() const { return count > 0; }
  std::string text() const { return result && result->is_ok() ? **result : "error: " + status().to_string(); }
  Status status() const { return result ? result->status() : Status(StatusCode::unknown, "not done"); }
};

class ClientFixture : public ::testing::Test {
 protected:
  ClientFixture() {
    options.backoff.jitter = 0;
    options.backoff.seed = 1;
  }

  /// Made with `options` on the first call.
  Channel& channel() {
    if (channel_ == nullptr) {
      core = ChannelCore::make(loop(), options, [this](net::Loop&) { return network.connector(); });
      channel_ = std::make_unique<Channel>(core);
    }
    return *channel_;
  }
  void destroy_channel() {
    core.reset();
    channel_.reset();
  }
  net::Loop& loop() { return net::Loop::of(*event_loop); }
  void settle() {
    while (event_loop->poll()) {
    }
  }
  void advance(base::Duration by) {
    clock.advance(by);
    settle();
  }
  /// Runs `work` as the loop's thread, and everything that follows from it.
  void on_loop(std::function<void()> work) {
    event_loop->post(std::move(work));
    settle();
  }

  std::shared_ptr<Outcome> begin(const std::string& request, const CallOptions& call_options = {},
                                 const std::string& method = "Echo") {
    auto outcome = std::make_shared<Outcome>();
    Channel& on = channel();
    on_loop([&on, outcome, request, call_options, method] {
      on.async_call<std::string>(method, request, call_options, [outcome](Result<std::string> result) {
        outcome->result = std::move(result);
        ++outcome->count;
      });
    });
    return outcome;
  }

  kit::ManualClock clock;
  std::unique_ptr<EventLoop> event_loop = net::Loop::make_event_loop({}, &clock);
  FakeNetwork network{loop()};
  ChannelOptions options;
  std::shared_ptr<ChannelCore> core;

 private:
  std::unique_ptr<Channel> channel_;
};

}  // namespace trunkline::client
