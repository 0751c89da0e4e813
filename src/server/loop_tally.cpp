// SPDX-License-Identifier: MIT
// Tallies by method, and the timer that measures the loop.
#include "server/loop_tally.h"

#include <algorithm>
#include <chrono>

namespace trunkline::server {

namespace {

constexpr base::Duration lag_interval = std::chrono::milliseconds(100);

}  // namespace

void LoopTally::start() { loop_.timers().schedule(lag_timer_, loop_.read_clock() + lag_interval); }

void LoopTally::on_lag_timer(base::Timer& timer, void* owner, base::TimePoint) {
  auto& self = *static_cast<LoopTally*>(owner);
  // The turn's time is from before whatever else the turn has done.
  const base::TimePoint now = self.loop_.read_clock();
  // Up to a tick late is in time.
  const base::Duration late = now - timer.deadline() - base::TimerWheel::tick;
  self.lag_.record(static_cast<std::uint64_t>(std::max(base::Duration::zero(), late).count()));
  self.loop_.timers().schedule(timer, now + lag_interval);
}

std::shared_ptr<MethodTally> LoopTally::tally_of(const std::string& method) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<MethodTally>& tally = methods_[method];
  if (tally == nullptr) tally = std::make_shared<MethodTally>();
  return tally;
}

void LoopTally::keep_only(const MethodRegistry::Methods& methods) {
  std::lock_guard lock(mutex_);
  std::erase_if(methods_, [&](const auto& entry) { return methods.find(entry.first) == methods.end(); });
}

void LoopTally::visit(const std::function<void(const std::string&, const MethodTally&)>& visitor) const {
  std::lock_guard lock(mutex_);
  for (const auto& [method, tally] : methods_) visitor(method, *tally);
}

}  // namespace trunkline::server
