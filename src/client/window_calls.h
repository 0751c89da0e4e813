// SPDX-License-Identifier: MIT
// WindowCalls: calls of Channel::call_many(), begun all at once, and waited for one by one.
#pragma once

#include <trunkline/detail/call_window.h>

#include <vector>

namespace trunkline::client {

/// The runtime's side of a CallWindow, on the thread of the window.
class WindowCalls {
 public:
  explicit WindowCalls(ChannelCore& core) noexcept : core_(core) {}

  /// See begin_and_wait() of call_window.h.
  void begin_and_wait(const std::vector<detail::WindowCall*>& calls, detail::WindowCall& awaited, const Method& method,
                      const CallOptions& options);
  /// See abandon_calls() of call_window.h.
  void abandon(const std::vector<detail::WindowCall*>& calls) noexcept;
  /// A call has ended: wakes the thread that waits for it, if there is one.
  static void on_complete(detail::WindowCall& call);

 private:
  struct Wait;
  /// Has `call` end `wait`. False: the call is done already.
  static bool add(detail::WindowCall& call, Wait& wait) noexcept;
  /// A call that `wait` waits for is done. Loop's thread, except while nothing was added yet.
  static void finish_one(Wait& wait);

  ChannelCore& core_;
};

}  // namespace trunkline::client
