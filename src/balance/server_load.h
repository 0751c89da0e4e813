// SPDX-License-Identifier: MIT
// ServerLoad: the measurements of one server, by which policies choose.
#pragma once

#include "balance/load_observer.h"
#include "base/clock.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace trunkline::balance {

/// The end of a call, as far as it concerns the server.
enum class Outcome : std::uint8_t {
  served,
  /// The call ended with an error that speaks against the server.
  failed,
  /// The server has too much to do: it has refused the call without a look at it.
  shed,
  /// The connection was lost, with all of its calls.
  lost,
  /// The end says nothing about the server: the caller has cancelled the call, or it was not sent.
  abandoned,
};

/// One thread at a time may use it. The average of the latency follows an increase at once and a decrease slowly (peak
/// EWMA), as in Finagle: https://twitter.github.io/finagle/guide/Clients.html#power-of-two-choices-p2c-least-loaded
///
/// Unlike there, a sudden increase is doubted until a call that has begun after it repeats it: a lost packet holds up
/// all calls of a connection for 200 ms and says nothing about the server. A doubted increase is soon forgotten, so
/// that the server gets that call.
class ServerLoad {
 public:
  /// The average forgets a latency in about this time.
  static constexpr base::Duration latency_memory = std::chrono::seconds(10);
  /// The average forgets an increase that is doubted in about this time.
  static constexpr base::Duration doubt_memory = std::chrono::seconds(1);
  /// An increase to more than this multiple is sudden.
  static constexpr double sudden_increase = 4;

  /// The share of the calls relative to other servers; more than 0.
  double weight = 1;
  /// Servers of the lowest priority are used first; see Tiers.
  std::uint32_t priority = 0;
  /// True if the server is in the zone of the client; see Tiers.
  bool is_local = false;
  /// A hash of the server's address, and so the same for all clients. ConsistentHash and Subset use it.
  std::uint64_t identity = 0;
  /// The owner's mark, which says which server this is.
  void* owner = nullptr;
  /// The place among the servers from which the policy chooses. The policy sets it.
  std::size_t place = 0;
  /// The policy's observer, which may be null.
  LoadObserver* observer = nullptr;
  /// The time since which the server gets calls; see effective_weight() and begin().
  base::TimePoint ready_since{};
  base::Duration slow_start{};

  /// Has the server get calls from now on, for the first time or again. The latency of its calls before it was lost
  /// says little: those that an outage has ended took as long as that was not noticed.
  void begin(base::TimePoint now) noexcept {
    ready_since = now;
    latency_ = 0;
    is_doubted_ = has_answered_ = has_failed_ = false;
  }
  void on_started() noexcept {
    ++outstanding_;
    ++started_;
    if (observer != nullptr) observer->load_changed(*this, 1);
  }
  void on_ended(Outcome outcome) noexcept {
    count_end(outcome);
    if (observer != nullptr) observer->load_changed(*this, -1);
  }
  /// Notes the end of a call whose latency says something about the server. A failure never lowers the average, so that
  /// a server does not attract calls by failing fast; see also is_unproven(). A call that was given up would have taken
  /// longer: it raises the average, as the losers of hedged calls do, whose servers nothing else would tell from fast
  /// ones.
  void on_ended(Outcome outcome, base::Duration latency, base::TimePoint now) noexcept {
    count_end(outcome);
    if (outcome == Outcome::served) {
      has_answered_ = true;
      observe(latency, now);
    } else {
      note_unserved(outcome, latency, now);
    }
    if (observer != nullptr) observer->load_changed(*this, -1);
  }
  /// Does what on_ended() does for a call that was served, if that is next to nothing: many calls end at the same time,
  /// and only the longest of them changes the average. Returns false if nothing was done.
  bool count_served(base::Duration latency, base::TimePoint now) noexcept {
    const bool is_known = now == measured_ && static_cast<double>(latency.count()) <= latency_;
    if (!is_known || is_doubted_ || observer != nullptr) return false;
    --outstanding_;
    has_answered_ = true;
    return true;
  }

  std::uint32_t outstanding() const noexcept { return outstanding_; }
  std::uint64_t started() const noexcept { return started_; }
  std::uint64_t failed() const noexcept { return failed_; }
  /// Returns the average in nanoseconds; 0: nothing was measured.
  double latency() const noexcept { return latency_; }
  /// Returns the average as it is at `now`: it decays while nothing is measured, so that a slow server is tried again.
  double latency_at(base::TimePoint now) const noexcept {
    if (latency_ == 0 || now <= measured_) return latency_;
    return latency_ * kept_since_measured(now, is_doubted_ ? doubt_memory : latency_memory);
  }
  /// Returns true if nobody knows how fast the server is, and someone is about to find out or has found out that it
  /// fails: it is no better than others that have answered.
  bool is_unproven() const noexcept { return !has_answered_ && (outstanding_ > 0 || has_failed_); }
  /// Returns the weight, which is reduced while the server starts.
  double effective_weight(base::TimePoint now) const noexcept {
    if (slow_start <= base::Duration::zero() || now - ready_since >= slow_start) return weight;
    const double share = static_cast<double>((now - ready_since).count()) / static_cast<double>(slow_start.count());
    return weight * (share > least_share ? share : least_share);
  }

 private:
  static constexpr double least_share = 0.1;

  double kept_since_measured(base::TimePoint now, base::Duration memory) const noexcept {
    if (now <= measured_) return 1;
    return std::exp(-static_cast<double>((now - measured_).count()) / static_cast<double>(memory.count()));
  }
  void count_end(Outcome outcome) noexcept {
    --outstanding_;
    if (outcome == Outcome::served || outcome == Outcome::abandoned) return;
    ++failed_;
    has_failed_ = true;
  }
  void note_unserved(Outcome outcome, base::Duration latency, base::TimePoint now) noexcept;
  void observe(base::Duration latency, base::TimePoint now) noexcept;
  void observe_in_doubt(base::Duration latency, base::TimePoint now) noexcept;
  void raise(base::Duration latency, base::TimePoint now) noexcept;
  void lower(double sample, base::TimePoint now, base::Duration memory) noexcept;

  std::uint32_t outstanding_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t failed_ = 0;
  double latency_ = 0;
  base::TimePoint measured_{};
  /// The time when the average was raised suddenly.
  base::TimePoint doubted_since_{};
  bool is_doubted_ = false;
  /// True if a call has been answered since begin().
  bool has_answered_ = false;
  bool has_failed_ = false;
};

}  // namespace trunkline::balance
