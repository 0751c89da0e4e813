// SPDX-License-Identifier: MIT
// CircuitBreaker: the table of states and events, and the counts.
#include "balance/circuit_breaker.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace trunkline::balance {

namespace {

using State = CircuitBreaker::State;
using Action = CircuitBreaker::Action;

/// Calls that wait look again after a tenth of open_time whether the probes have come back, but no sooner than this.
constexpr std::chrono::milliseconds least_probe_pause{10};

/// One row for each state, one column for each event, in the order of their enumerators.
constexpr CircuitBreaker::Transition table[CircuitBreaker::state_count][CircuitBreaker::event_count] = {
    // closed: served, recovered, failed, tripped, abandoned, late, rested
    {{Action::count_served, State::closed},
     {Action::count_served, State::closed},
     {Action::count_failure, State::closed},
     {Action::open, State::open},
     {Action::none, State::closed},
     {Action::none, State::closed},
     {Action::none, State::closed}},
    // open: no call begins, so a call that ends began before
    {{Action::none, State::open},
     {Action::none, State::open},
     {Action::none, State::open},
     {Action::none, State::open},
     {Action::none, State::open},
     {Action::none, State::open},
     {Action::begin_probing, State::half_open}},
    // half_open
    {{Action::count_probe, State::half_open},
     {Action::close, State::closed},
     {Action::open, State::open},
     {Action::open, State::open},
     {Action::return_probe, State::half_open},
     {Action::none, State::half_open},
     {Action::none, State::half_open}},
};

}  // namespace

const CircuitBreaker::Transition& CircuitBreaker::transition(State state, Event event) noexcept {
  return table[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
}

bool CircuitBreaker::admits(base::TimePoint now) const noexcept {
  switch (state_) {
    case State::closed:
      return true;
    case State::open:
      return now - since_ >= options_->open_time;
    case State::half_open:
      return probes_ + served_probes_ < options_->probes;
  }
  return true;
}

base::TimePoint CircuitBreaker::retry_at(base::TimePoint now) const noexcept {
  if (state_ == State::open) return std::max(now, since_ + options_->open_time);
  return now + std::max(options_->open_time / 10, least_probe_pause);
}

void CircuitBreaker::on_started(base::TimePoint now) noexcept {
  if (state_ == State::open && admits(now)) on(Event::rested, now);
  if (state_ == State::half_open) ++probes_;
}

void CircuitBreaker::on_ended(Outcome outcome, base::TimePoint started, base::TimePoint now) noexcept {
  on(event_of(outcome, started, now), now);
}

CircuitBreaker::Event CircuitBreaker::event_of(Outcome outcome, base::TimePoint started,
                                               base::TimePoint now) const noexcept {
  if (started < since_) return Event::late;
  switch (outcome) {
    case Outcome::served:
      return state_ == State::half_open && served_probes_ + 1 >= options_->probes ? Event::recovered : Event::served;
    case Outcome::failed:
      return would_trip(now) ? Event::tripped : Event::failed;
    case Outcome::shed:
    case Outcome::lost:
    case Outcome::abandoned:
      return Event::abandoned;
  }
  return Event::abandoned;
}

/// Returns true if one more failure reaches a limit.
bool CircuitBreaker::would_trip(base::TimePoint now) const noexcept {
  const bool is_row_over = now - failed_at_ >= options_->window;
  const std::uint32_t in_a_row = is_row_over ? 1 : failures_in_a_row_ + 1;
  if (options_->consecutive_failures != 0 && in_a_row >= options_->consecutive_failures) return true;
  const std::uint32_t calls = is_window_over(now) ? 1 : calls_ + 1;
  const std::uint32_t failures = is_window_over(now) ? 1 : failures_ + 1;
  return options_->failure_rate > 0 && calls >= options_->min_calls && failures >= options_->failure_rate * calls;
}

void CircuitBreaker::on(Event event, base::TimePoint now) noexcept {
  const Transition& taken = transition(state_, event);
  if (std::exchange(state_, taken.next) != taken.next) since_ = now;
  act(taken.action, now);
}

void CircuitBreaker::act(Action action, base::TimePoint now) noexcept {
  switch (action) {
    case Action::none:
      return;
    case Action::count_served:
      failures_in_a_row_ = 0;
      if (!is_window_over(now)) ++calls_;
      return;
    case Action::count_failure:
      if (now - failed_at_ >= options_->window) failures_in_a_row_ = 0;
      if (is_window_over(now)) {
        window_began_ = now;
        calls_ = failures_ = 0;
      }
      ++failures_in_a_row_;
      ++calls_;
      ++failures_;
      failed_at_ = now;
      return;
    case Action::open:
    case Action::begin_probing:
      probes_ = served_probes_ = 0;
      return;
    case Action::count_probe:
      --probes_;
      ++served_probes_;
      return;
    case Action::return_probe:
      --probes_;
      return;
    case Action::close:
      failures_in_a_row_ = calls_ = failures_ = 0;
      failed_at_ = now;
      return;
  }
}

}  // namespace trunkline::balance
