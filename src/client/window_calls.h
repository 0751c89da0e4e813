// SPDX-License-Identifier: MIT
// WindowCalls: the calls of Channel::call_many(). They are begun together and awaited one by one.
#pragma once

#include <trunkline/detail/call_window.h>

#include <vector>

namespace trunkline::client {

/// Implements CallWindow, on the thread of the window.
class WindowCalls {
 public:
  explicit WindowCalls(ChannelCore& core) noexcept : core_(core) {}

  /// Begins calls and waits for one, as begin_and_wait() of call_window.h says.
  void begin_and_wait(const std::vector<detail::WindowCall*>& calls, detail::WindowCall& awaited, const Method& method,
                      const CallOptions& options);
  /// Abandons calls, as abandon_calls() of call_window.h says.
  void abandon(const std::vector<detail::WindowCall*>& calls) noexcept;
  /// Called when a call has ended: wakes the thread that waits for it, if there is one.
  static void on_complete(detail::WindowCall& call);

 private:
  struct Wait;
  /// Registers `call` with `wait`. Returns false if the call is done already.
  static bool add(detail::WindowCall& call, Wait& wait) noexcept;
  /// Called when a call that `wait` waits for is done, on the loop's thread, except before the first call was added.
  static void finish_one(Wait& wait);

  ChannelCore& core_;
};

}  // namespace trunkline::client
