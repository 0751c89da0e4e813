// SPDX-License-Identifier: MIT
// WindowCalls: begins, waits for and abandons the calls of a window.
#include "client/window_calls.h"

#include "client/channel_core.h"

#include <cstddef>
#include <functional>

namespace trunkline {

namespace client {

/// The calls for which the thread of a window waits. It lives on the stack of that thread.
struct WindowCalls::Wait {
  LoopDriver& driver;
  BlockedCall blocked{};
  /// The number of calls that are not done, and one more while calls are being added.
  std::size_t left = 1;
};

bool WindowCalls::add(detail::WindowCall& call, Wait& wait) noexcept {
  call.waiter = &wait;
  auto expected = detail::WindowCall::State::running;
  return call.state_.compare_exchange_strong(expected, detail::WindowCall::State::awaited, std::memory_order_acq_rel);
}

void WindowCalls::finish_one(Wait& wait) {
  if (--wait.left == 0) wait.driver.finish(wait.blocked);
}

void WindowCalls::on_complete(detail::WindowCall& call) {
  // If no thread waits for the call, the window sees later that the call is done, and may destroy it.
  if (call.state_.exchange(detail::WindowCall::State::done, std::memory_order_acq_rel) !=
      detail::WindowCall::State::awaited)
    return;
  finish_one(*static_cast<Wait*>(call.waiter));
}

void WindowCalls::begin_and_wait(const std::vector<detail::WindowCall*>& calls, detail::WindowCall& awaited,
                                 const Method& method, const CallOptions& options) {
  Wait wait{.driver = core_.driver()};
  core_.drive(wait.blocked, [&] {
    for (detail::WindowCall* const call : calls) {
      core_.begin(*call, method, call->request_, options);
      call->begun_ = true;
    }
    // Another thread may run the loop and end the call at any moment; that thread then finishes the wait.
    if (!add(awaited, wait)) LoopDriver::finish_begun(wait.blocked);
  });
}

void WindowCalls::abandon(const std::vector<detail::WindowCall*>& calls) noexcept {
  Wait wait{.driver = core_.driver()};
  // The function runs on the loop's thread, where calls end, so that no call ends while it runs. It is posted even from
  // there, so that it runs behind calls that are still on their way to the loop.
  const std::function<void()> cancel_all = [&] {
    for (detail::WindowCall* const call : calls) {
      if (!add(*call, wait)) continue;
      ++wait.left;
      core_.calls().cancel(*call);
    }
    finish_one(wait);
  };
  // On a user's loop, unrelated handlers may run here and throw.
  core_.log().guard([&] {
    core_.drive(wait.blocked, [&] {
      if (core_.is_detached()) return cancel_all();
      core_.loop().post(cancel_all);
    });
  });
}

}  // namespace client

void detail::WindowCall::on_complete(CallOperation& operation) {
  client::WindowCalls::on_complete(static_cast<WindowCall&>(operation));
}

void detail::begin_and_wait(client::ChannelCore& core, const std::vector<WindowCall*>& calls, WindowCall& awaited,
                            const Method& method, const CallOptions& options) {
  client::WindowCalls(core).begin_and_wait(calls, awaited, method, options);
}

void detail::abandon_calls(client::ChannelCore& core, const std::vector<WindowCall*>& calls) {
  client::WindowCalls(core).abandon(calls);
}

}  // namespace trunkline
