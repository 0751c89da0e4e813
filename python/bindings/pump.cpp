// SPDX-License-Identifier: MIT
// Pump: leads the loop for a task, or runs a task alone.
#include "pump.h"

#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace trunkline::python {

std::shared_ptr<Pump> Pump::make(std::chrono::microseconds busy_poll) {
  return {new Pump(busy_poll), [](Pump* pump) {
            if (pump->fork_guard().is_here()) delete pump;
          }};
}

bool Pump::lead_once(const std::function<void()>& task) {
  const std::optional<net::LoopRunner::Lead> lead = runner_.try_lead();
  if (!lead) return false;
  task();
  net_loop().poll();
  return true;
}

bool Pump::lead_until(const std::function<bool()>& done, const std::function<void()>& at_end, bool claims) {
  const auto lead_for = [&](const net::LoopRunner::Lead& lead) {
    static_cast<void>(lead.run_until(std::ref(done)));
    at_end();
    return true;
  };
  if (const auto lead = runner_.try_lead()) return lead_for(*lead);
  return claims && !has_thread() && lead_for(runner_.claim_lead());
}

void Pump::run_alone(const std::function<void()>& task) {
  const net::LoopRunner::Lead lead = runner_.claim_lead();
  task();
}

void Pump::run_alone_later(std::shared_ptr<Pump> pump, std::function<void()> task) noexcept try {
  std::thread([pump = std::move(pump), task = std::move(task)] {
    pump->stop_thread();
    pump->run_alone(task);
  }).detach();
} catch (const std::system_error&) {
}

}  // namespace trunkline::python
