// SPDX-License-Identifier: MIT
// ServerMeter: measures one server by the calls to it.
#pragma once

#include "balance/breaker_table.h"
#include "balance/outlier_detector.h"
#include "balance/server_load.h"
#include "client/method_table.h"

namespace trunkline::client {

/// Receives what a meter reports, on the loop's thread.
class ServerMeterOwner {
 public:
  /// Called when it may have changed whether the server gets calls. The owner looks at it later, outside this function.
  virtual void server_judged() = 0;

 protected:
  ~ServerMeterOwner() = default;
};

/// A meter, which only the loop's thread uses.
class ServerMeter {
 public:
  /// Makes a meter. `options` must outlive it.
  explicit ServerMeter(const BreakerOptions& options) : breakers_(options) {}
  /// Makes a meter for a server of a fleet.
  ServerMeter(const BreakerOptions& options, ServerMeterOwner& owner) : owner_(&owner), breakers_(options) {}
  ~ServerMeter();
  ServerMeter(const ServerMeter&) = delete;
  ServerMeter& operator=(const ServerMeter&) = delete;

  balance::ServerLoad& load() noexcept { return load_; }
  const balance::ServerLoad& load() const noexcept { return load_; }
  balance::OutlierRecord& outlier() noexcept { return outlier_; }
  const balance::OutlierRecord& outlier() const noexcept { return outlier_; }
  /// Has the server judged beside the others of `detector`, which outlives this. Null: it is not judged.
  void judge_by(balance::OutlierDetector* detector);

  balance::BreakerTable& breakers() noexcept { return breakers_; }
  const balance::BreakerTable& breakers() const noexcept { return breakers_; }

  void on_started(const MethodEntry& method, base::TimePoint now) noexcept {
    load_.on_started();
    breakers_.on_started(method.key, now);
  }
  /// Notes that a stream has been answered, and goes on. True: it was a breaker's probe, and is counted as served.
  bool on_stream_answered(const MethodEntry& method, base::TimePoint started, base::TimePoint now) {
    return breakers_.on_answered(method.key, started, now);
  }
  /// Notes that a stream has ended, whose length says nothing about the server. `is_counted_probe` says that
  /// on_stream_answered() has returned true for it.
  void on_stream_ended(const MethodEntry& method, balance::Outcome outcome, base::TimePoint started,
                       base::TimePoint now, bool is_counted_probe) {
    load_.on_ended(outcome);
    if (!is_counted_probe || outcome == balance::Outcome::failed) {
      breakers_.on_ended(method.key, method.name, outcome, started, now);
    }
    if (detector_ != nullptr && detector_->on_ended(outlier_, outcome, now)) [[unlikely]]
      owner_->server_judged();
  }
  /// Notes that a unary call has ended.
  void on_ended(const MethodEntry& method, balance::Outcome outcome, base::TimePoint started, base::TimePoint now) {
    load_.on_ended(outcome, now - started, now);
    breakers_.on_ended(method.key, method.name, outcome, started, now);
    if (detector_ != nullptr && detector_->on_ended(outlier_, outcome, now - started, now)) [[unlikely]]
      owner_->server_judged();
  }
  /// Does what on_ended() does for a call that was served, if that is little. Returns false if nothing was done.
  bool count_served(base::TimePoint started, base::TimePoint now) noexcept {
    const base::Duration latency = now - started;
    if (!breakers_.is_empty() || !load_.count_served(latency, now)) return false;
    if (detector_ != nullptr) detector_->count_served(outlier_, latency);
    return true;
  }
  /// Notes that a connection has ended, with calls that were open. It counts once, not once for each of them, so that
  /// the restart of a busy server is no reason to eject it.
  void on_connection_lost(base::TimePoint now) {
    if (detector_ != nullptr && detector_->on_failed(outlier_, now)) owner_->server_judged();
  }

 private:
  /// The owner. Null: the server is not one of a fleet, and is never judged.
  ServerMeterOwner* owner_ = nullptr;
  balance::OutlierDetector* detector_ = nullptr;
  balance::ServerLoad load_;
  balance::OutlierRecord outlier_;
  balance::BreakerTable breakers_;
};

}  // namespace trunkline::client
