// SPDX-License-Identifier: MIT
// ServerMeter: what the calls to one server tell about it.
#pragma once

#include "balance/breaker_table.h"
#include "balance/outlier_detector.h"
#include "balance/server_load.h"
#include "client/method_table.h"

namespace trunkline::client {

/// What a meter reports. Loop's thread.
class ServerMeterOwner {
 public:
  /// Whether the server gets calls may have changed. The owner looks at it later, outside of this function.
  virtual void server_judged() = 0;

 protected:
  ~ServerMeterOwner() = default;
};

/// Loop's thread only.
class ServerMeter {
 public:
  /// `options` outlive this.
  explicit ServerMeter(const BreakerOptions& options) : breakers_(options) {}
  /// For a server of a fleet.
  ServerMeter(const BreakerOptions& options, ServerMeterOwner& owner) : owner_(&owner), breakers_(options) {}
  ~ServerMeter();
  ServerMeter(const ServerMeter&) = delete;
  ServerMeter& operator=(const ServerMeter&) = delete;

  balance::ServerLoad& load() noexcept { return load_; }
  const balance::ServerLoad& load() const noexcept { return load_; }
  balance::OutlierRecord& outlier() noexcept { return outlier_; }
  const balance::OutlierRecord& outlier() const noexcept { return outlier_; }
  /// From now on the server is judged beside the others of `detector`, which outlives this. Null: it is not judged.
  void judge_by(balance::OutlierDetector* detector);

  balance::BreakerTable& breakers() noexcept { return breakers_; }
  const balance::BreakerTable& breakers() const noexcept { return breakers_; }

  void on_started(const MethodEntry& method, base::TimePoint now) noexcept {
    load_.on_started();
    breakers_.on_started(method.key, now);
  }
  /// A stream has been answered, and goes on. True: it was a probe of a breaker, and has been counted as served.
  bool on_stream_answered(const MethodEntry& method, base::TimePoint started, base::TimePoint now) {
    return breakers_.on_answered(method.key, started, now);
  }
  /// A stream has ended, of which the length says nothing about the server. `is_counted_probe`: on_stream_answered()
  /// has returned true for it.
  void on_stream_ended(const MethodEntry& method, balance::Outcome outcome, base::TimePoint started,
                       base::TimePoint now, bool is_counted_probe) {
    load_.on_ended(outcome);
    if (!is_counted_probe || outcome == balance::Outcome::failed) {
      breakers_.on_ended(method.key, method.name, outcome, started, now);
    }
    if (detector_ != nullptr && detector_->on_ended(outlier_, outcome, now)) [[unlikely]]
      owner_->server_judged();
  }
  /// A unary call has ended.
  void on_ended(const MethodEntry& method, balance::Outcome outcome, base::TimePoint started, base::TimePoint now) {
    load_.on_ended(outcome, now - started, now);
    breakers_.on_ended(method.key, method.name, outcome, started, now);
    if (detector_ != nullptr && detector_->on_ended(outlier_, outcome, now - started, now)) [[unlikely]]
      owner_->server_judged();
  }
  /// Does what on_ended() does for a call that was served, if that is little. False: nothing was done.
  bool count_served(base::TimePoint started, base::TimePoint now) noexcept {
    const base::Duration latency = now - started;
    if (!breakers_.is_empty() || !load_.count_served(latency, now)) return false;
    if (detector_ != nullptr) detector_->count_served(outlier_, latency);
    return true;
  }
  /// A connection has ended, with calls that were open. It counts once, not once for each of them, so that the restart
  /// of a busy server is no reason to eject it.
  void on_connection_lost(base::TimePoint now) {
    if (detector_ != nullptr && detector_->on_failed(outlier_, now)) owner_->server_judged();
  }

 private:
  /// Null: the server is not one of a fleet, and is never judged.
  ServerMeterOwner* owner_ = nullptr;
  balance::OutlierDetector* detector_ = nullptr;
  balance::ServerLoad load_;
  balance::OutlierRecord outlier_;
  balance::BreakerTable breakers_;
};

}  // namespace trunkline::client
