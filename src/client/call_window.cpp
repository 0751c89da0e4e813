// SPDX-License-Identifier: MIT
// Begun all at once, awaited one by one.
#include "client/channel_core.h"

namespace trunkline::client {

namespace {

struct Awaited {
  LoopDriver& driver;
  BlockedCall blocked;
};

}  // namespace

void WindowCall::on_complete(CallOperation& operation) {
  ChannelCore::window_call_done(static_cast<WindowCall&>(operation));
}

void ChannelCore::window_call_done(WindowCall& call) {
  // If nobody awaits it, whoever comes later sees that it is done, and may destroy it.
  if (call.state_.exchange(WindowCall::State::done, std::memory_order_acq_rel) != WindowCall::State::awaited) return;
  auto& awaited = *static_cast<Awaited*>(call.waiter);
  awaited.driver.finish(awaited.blocked);
}

void ChannelCore::begin_and_wait(const std::vector<WindowCall*>& calls, WindowCall& awaited, const Method& method,
                                 const CallOptions& options) {
  Awaited waiting{.driver = driver_, .blocked = {}};
  drive(waiting.blocked, [&] {
    for (WindowCall* const call : calls) {
      begin(*call, method, call->request_, options);
      call->begun_ = true;
    }
    awaited.waiter = &waiting;
    auto expected = WindowCall::State::running;
    if (!awaited.state_.compare_exchange_strong(expected, WindowCall::State::awaited, std::memory_order_acq_rel)) {
      driver_.finish(waiting.blocked);
    }
  });
}

void ChannelCore::abandon(const std::vector<WindowCall*>& calls) {
  BlockedCall blocked;
  const std::function<void()> give_up = [&] {
    for (WindowCall* const call : calls) {
      bool is_ending = call->connection_ == nullptr && call->details_ == nullptr;
      for (const CallOperation* ended = ended_; ended != nullptr; ended = ended->next_) {
        is_ending = is_ending || ended == call;
      }
      if (!is_ending && !call->is_done()) cancel_operation(*call);
    }
    driver_.finish(blocked);
  };
  // From a destructor: what others' handlers throw on a user's loop goes to the log.
  bool begun = false;
  while (!begun) {
    log_what_throws([&] {
      drive(blocked, [&] {
        begun = true;
        if (detached_ || loop_.is_current()) return give_up();
        loop_.post(give_up);
      });
    });
  }
  for (WindowCall* const call : calls) {
    while (!call->is_done()) log_what_throws([&] { begin_and_wait({}, *call, std::string_view(), {}); });
  }
}

void begin_and_wait(ChannelCore& core, const std::vector<WindowCall*>& calls, WindowCall& awaited, const Method& method,
                    const CallOptions& options) {
  core.begin_and_wait(calls, awaited, method, options);
}

void abandon_calls(ChannelCore& core, const std::vector<WindowCall*>& calls) { core.abandon(calls); }

}  // namespace trunkline::client
