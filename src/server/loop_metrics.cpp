// SPDX-License-Identifier: MIT
// LoopMetrics: keeps metrics by method, and the timer that measures the loop.
#include "server/loop_metrics.h"

#include <algorithm>
#include <chrono>

namespace trunkline::server {

namespace {

constexpr base::Duration lag_interval = std::chrono::milliseconds(100);

}  // namespace

void LoopMetrics::start() {
  if (is_stopped_ || is_collecting_) return;
  is_collecting_ = true;
  loop_.timers().schedule(lag_timer_, loop_.read_clock() + lag_interval);
}

void LoopMetrics::stop() noexcept {
  is_stopped_ = true;
  is_collecting_ = false;
  lag_timer_.cancel();
}

void LoopMetrics::on_lag_timer(base::Timer& timer, void* owner, base::TimePoint) {
  auto& self = *static_cast<LoopMetrics*>(owner);
  // The time of the turn was taken before the other work of the turn was done.
  const base::TimePoint now = self.loop_.read_clock();
  // A timer that fires up to one tick late is on time.
  const base::Duration late = now - timer.deadline() - base::TimerWheel::tick;
  self.lag_.record(static_cast<std::uint64_t>(std::max(base::Duration::zero(), late).count()));
  self.loop_.timers().schedule(timer, now + lag_interval);
}

MethodMetrics& LoopMetrics::metrics_of(LoopMethod& method) {
  if (method.metrics == nullptr) {
    std::lock_guard lock(mutex_);
    std::shared_ptr<MethodMetrics>& known = methods_[method.method().name];
    if (known == nullptr) known = std::make_shared<MethodMetrics>();
    method.metrics = known;
  }
  return *method.metrics;
}

CallMetrics LoopMetrics::begin_collected_call(LoopMethod& method) { return {metrics_of(method), loop_.now()}; }

void LoopMetrics::count_collected_refusal(LoopMethod& method, StatusCode code) {
  MethodMetrics& metrics = metrics_of(method);
  metrics.started.add();
  metrics.count_finished(code);
}

void LoopMetrics::count_hold(const std::string& method) {
  std::lock_guard lock(mutex_);
  if (const auto found = methods_.find(method); found != methods_.end()) found->second->loop_holds.add();
}

void LoopMetrics::keep_only(const MethodRegistry::Methods& methods) {
  std::lock_guard lock(mutex_);
  std::erase_if(methods_, [&](const auto& entry) { return methods.find(entry.first) == methods.end(); });
}

void LoopMetrics::visit(const std::function<void(const std::string&, const MethodMetrics&)>& visitor) const {
  std::lock_guard lock(mutex_);
  for (const auto& [method, metrics] : methods_) visitor(method, *metrics);
}

}  // namespace trunkline::server
