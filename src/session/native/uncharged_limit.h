// SPDX-License-Identifier: MIT
// UnchargedLimit: bounds the frames of the peer that cost no credit (docs/wire.md, section 8).
#pragma once

#include "session/native/receive_credit.h"
#include "session/native/send_queue.h"

#include <trunkline/status.h>

#include <cstdint>
#include <string>

namespace trunkline::session::native {

/// Frames without cost pass when credit has run out, so that cancellation, errors and credit itself always get through.
/// A peer needs a few of them for each frame that has a cost, on either side, and gets no more. Pings have a limit of
/// their own (PongLimit).
class UnchargedLimit {
 public:
  static constexpr std::uint64_t at_first = 1024;
  static constexpr std::uint64_t per_charged_frame = 4;

  /// Both references outlive the object.
  UnchargedLimit(const ReceiveCredit& received, const SendQueue& sent) noexcept : received_(received), sent_(sent) {}

  std::uint64_t allowed() const noexcept {
    return at_first + per_charged_frame * (received_.charged_frames() + sent_.charged_frames()) + pings_;
  }
  /// This side has sent a ping: the pong is not counted.
  void sent_ping() noexcept { ++pings_; }
  /// One more such frame has come. Returns false if it exceeds the limit.
  bool add() noexcept { return ++frames_ <= allowed(); }
  /// Returns the error of the connection, once add() has returned false.
  Status error() const {
    return {StatusCode::resource_exhausted, "receive frame: " + std::to_string(frames_) +
                                                " frames that cost no credit, the limit is " +
                                                std::to_string(allowed())};
  }

 private:
  const ReceiveCredit& received_;
  const SendQueue& sent_;
  std::uint64_t frames_ = 0;
  std::uint64_t pings_ = 0;
};

}  // namespace trunkline::session::native
