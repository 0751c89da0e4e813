// SPDX-License-Identifier: MIT
// Attempt: a call of any kind on its way to a connection.
#pragma once

#include "balance/call_hints.h"
#include "base/timer_wheel.h"
#include "client/method_table.h"

#include <trunkline/status.h>

#include <cstdint>

namespace trunkline::client {

class ClientConnection;
class PendingCalls;

/// An attempt, which only the loop's thread uses.
class Attempt {
 public:
  virtual ~Attempt() = default;
  /// Starts the call on `connection`, which must be able to start it. After an error no trace of the call is left in
  /// the connection, and the caller ends the call by fail().
  virtual Status start_on(ClientConnection& connection) = 0;
  /// Ends the call, which has not been sent by this attempt.
  virtual void fail(Status status) = 0;
  /// Tells that the service config has changed while the call waits: its deadline may become an earlier one.
  virtual void rules_changed() {}
  /// Returns true if the call waits for the next attempt to connect after one has failed. `had_hello` says that the
  /// server had opened the connection of that attempt, and ended it at once. Calls that are repeated outlast that.
  bool outlasts_failure(bool had_hello) const noexcept { return wait_for_ready || (is_repeated && had_hello); }

  const MethodEntry* method = nullptr;
  base::TimePoint deadline = base::never;
  /// The time when the call began. It is set only if there is a deadline, or if interceptors ask for it.
  base::TimePoint started{};
  /// The value of CallOptions::wait_for_ready. If false, the call fails as soon as an attempt to connect has failed.
  bool wait_for_ready = false;
  /// True for a retry, or a further attempt of a hedged call: this is not the first attempt of the call.
  bool is_repeated = false;
  /// The hints for the choice of a server.
  balance::CallHints hints{};
  /// True with PendingPolicy::wait: the call may wait even if max_pending_calls calls wait already.
  bool waits_for_room = false;

 protected:
  Attempt() noexcept
      : timer_([](base::Timer&, void* self,
                  base::TimePoint) { static_cast<Attempt*>(self)->on_timer_(*static_cast<Attempt*>(self)); },
               this) {}

 private:
  friend class PendingCalls;
  enum class Waiting : std::uint8_t { no, for_connection, for_breaker, for_retry };

  // The attempt's place among the pending calls, and its timer there.
  Waiting waiting_ = Waiting::no;
  PendingCalls* pending_ = nullptr;
  Attempt* previous_ = nullptr;
  Attempt* next_ = nullptr;
  void (*on_timer_)(Attempt& attempt) = nullptr;
  base::Timer timer_;
};

}  // namespace trunkline::client
