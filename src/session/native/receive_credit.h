// SPDX-License-Identifier: MIT
// ReceiveCredit: flow control towards the peer - the credit it has left, and when it is given more.
#pragma once

#include "session/native/call_state.h"
#include "session/native/send_path.h"

#include <trunkline/connection_limits.h>

#include <cstdint>

namespace trunkline::session::native {

/// Owns the connection's credit; a call's is in its CallState. Credit is returned half a window at a time: one small
/// frame for many messages, and the peer never waits for the other half.
class ReceiveCredit {
 public:
  /// Both outlive the object. Credit frames are written to `path`, until it is closed.
  ReceiveCredit(const ConnectionLimits& limits, SendPath& path) noexcept
      : limits_(limits), path_(path), left_(limits.connection_credit_bytes) {}

  /// What the peer may still send on the connection; below 0 if it has sent too much.
  std::int64_t left() const noexcept { return left_; }
  void charge(std::uint32_t bytes) noexcept { left_ -= bytes; }
  /// `bytes` of the connection's credit have been consumed.
  void return_connection(std::uint32_t bytes) {
    returnable_ += bytes;
    if (returnable_ >= limits_.connection_credit_bytes / 2) [[unlikely]]
      grant_connection();
  }
  /// `bytes` of the call's credit have been consumed. Nothing is granted once the peer can send no more on the call.
  void return_call(CallState& call, std::int64_t bytes);
  /// Grants `bytes`, more than 0, to a call that has no entry, at once.
  void grant_call(CallId id, std::int64_t bytes);

 private:
  void grant_connection();

  const ConnectionLimits& limits_;
  SendPath& path_;
  std::int64_t left_;
  /// Consumed and not yet granted again.
  std::uint32_t returnable_ = 0;
};

}  // namespace trunkline::session::native
