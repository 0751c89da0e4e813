// SPDX-License-Identifier: MIT
// BreakerTable: breakers that come with failures and go when these are old.
#include "balance/breaker_table.h"

#include <algorithm>

namespace trunkline::balance {

bool BreakerTable::admits(std::uint32_t method, base::TimePoint now) const noexcept {
  if (open_ == 0) return true;
  const auto found = breakers_.find(method);
  return found == breakers_.end() || found->second.breaker.admits(now);
}

base::TimePoint BreakerTable::retry_at(std::uint32_t method, base::TimePoint now) const noexcept {
  const auto found = breakers_.find(method);
  return found == breakers_.end() ? now : found->second.breaker.retry_at(now);
}

void BreakerTable::note_started(std::uint32_t method, base::TimePoint now) noexcept {
  const auto found = breakers_.find(method);
  if (found != breakers_.end()) found->second.breaker.on_started(now);
}

bool BreakerTable::note_answered(std::uint32_t method, base::TimePoint started, base::TimePoint now) {
  const auto found = breakers_.find(method);
  if (found == breakers_.end() || !found->second.breaker.is_probe(started)) return false;
  note_ended(method, found->second.name, Outcome::served, started, now);
  return true;
}

void BreakerTable::note_ended(std::uint32_t method, std::string_view name, Outcome outcome, base::TimePoint started,
                              base::TimePoint now) {
  if (!options_.enabled || method == 0) return;
  auto found = breakers_.find(method);
  if (found == breakers_.end()) {
    if (outcome != Outcome::failed) return;
    forget(now);
    found = breakers_.emplace(method, Entry{name, CircuitBreaker(options_)}).first;
  }
  CircuitBreaker& breaker = found->second.breaker;
  const bool was_closed = breaker.state() == CircuitBreaker::State::closed;
  breaker.on_ended(outcome, started, now);
  const bool is_closed = breaker.state() == CircuitBreaker::State::closed;
  if (was_closed && !is_closed) ++open_;
  if (!was_closed && is_closed) --open_;
  if (is_closed && breaker.is_forgettable(now)) breakers_.erase(found);
}

/// Drops old breakers, as a method that is no longer called does not drop its breaker itself.
void BreakerTable::forget(base::TimePoint now) {
  if (breakers_.size() < next_cleaning_) return;
  std::erase_if(breakers_, [now](const auto& entry) { return entry.second.breaker.is_forgettable(now); });
  next_cleaning_ = std::max<std::size_t>(16, 2 * breakers_.size());
}

std::vector<std::string> BreakerTable::open() const {
  std::vector<std::string> names;
  for (const auto& [method, entry] : breakers_) {
    if (entry.breaker.state() != CircuitBreaker::State::closed) names.emplace_back(entry.name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace trunkline::balance
