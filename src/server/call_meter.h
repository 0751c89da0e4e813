// SPDX-License-Identifier: MIT
// CallMeter: one call's part in the statistics.
#pragma once

#include "base/clock.h"
#include "server/method_tally.h"
#include "session/event.h"

#include <algorithm>

namespace trunkline::server {

/// One that is off costs a comparison for each of its functions. Loop's thread. The tally is kept alive by the call's
/// LoopMethod.
class CallMeter {
 public:
  CallMeter() noexcept = default;
  CallMeter(MethodTally& tally, base::TimePoint begun) noexcept : tally_(&tally), begun_(begun) { tally.started.add(); }

  bool is_on() const noexcept { return tally_ != nullptr; }
  void received(const session::Event& event) noexcept {
    if (is_on() && event.has_message) tally_->bytes_received.add(static_cast<std::int64_t>(event.wire_bytes));
  }
  /// Only while is_on().
  base::Counter& sent() noexcept { return tally_->bytes_sent; }
  /// What the call ends with if nobody is told its status.
  void set_unanswered(StatusCode code) noexcept { unanswered_ = code; }

  /// Only while is_on(), which ends.
  void end(StatusCode code, base::TimePoint now) noexcept {
    tally_->latency.record(static_cast<std::uint64_t>(std::max(base::Duration::zero(), now - begun_).count()));
    tally_->finish(code);
    tally_ = nullptr;
  }
  void end_unanswered(base::TimePoint now) noexcept { end(unanswered_, now); }

 private:
  MethodTally* tally_ = nullptr;
  base::TimePoint begun_{};
  StatusCode unanswered_ = StatusCode::cancelled;
};

}  // namespace trunkline::server
