// SPDX-License-Identifier: MIT
// BreakerTable: the circuit breakers of the methods of one server.
#pragma once

#include "balance/circuit_breaker.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace trunkline::balance {

/// A table of the methods that have failed lately, so that nothing is looked up while all is well. One thread at a time
/// may use it.
class BreakerTable {
 public:
  /// `options` must outlive the table.
  explicit BreakerTable(const BreakerOptions& options) noexcept : options_(options) {}

  /// Returns false if every method may be called.
  bool has_open() const noexcept { return open_ != 0; }
  /// Returns true if a call of `method` may begin. Methods with the number 0 have no breaker.
  bool admits(std::uint32_t method, base::TimePoint now) const noexcept;
  /// Returns the time at which it makes sense to try again, if the method may not be called.
  base::TimePoint retry_at(std::uint32_t method, base::TimePoint now) const noexcept;
  void on_started(std::uint32_t method, base::TimePoint now) noexcept {
    if (open_ != 0) [[unlikely]]
      note_started(method, now);
  }
  /// Notes that a call which began at `started` has been answered and may go on for long, as streams do. If it is a
  /// probe it counts as served, and true is returned: on_ended() is to be called for it only if it fails.
  bool on_answered(std::uint32_t method, base::TimePoint started, base::TimePoint now) {
    return open_ != 0 && note_answered(method, started, now);
  }
  /// Notes that a call has ended. `name` must outlive the table.
  void on_ended(std::uint32_t method, std::string_view name, Outcome outcome, base::TimePoint started,
                base::TimePoint now) {
    if (outcome == Outcome::failed || !breakers_.empty()) [[unlikely]]
      note_ended(method, name, outcome, started, now);
  }
  /// Returns the methods whose breakers are not closed, in alphabetical order.
  std::vector<std::string> open() const;
  std::size_t size() const noexcept { return breakers_.size(); }
  /// Returns true if no method has failed lately: on_ended() does nothing for a call that was served.
  bool is_empty() const noexcept { return breakers_.empty(); }

 private:
  struct Entry {
    std::string_view name;
    CircuitBreaker breaker;
  };

  void note_started(std::uint32_t method, base::TimePoint now) noexcept;
  bool note_answered(std::uint32_t method, base::TimePoint started, base::TimePoint now);
  void note_ended(std::uint32_t method, std::string_view name, Outcome outcome, base::TimePoint started,
                  base::TimePoint now);
  void forget(base::TimePoint now);

  const BreakerOptions& options_;
  std::unordered_map<std::uint32_t, Entry> breakers_;
  /// The number of breakers that are not closed.
  std::size_t open_ = 0;
  /// The size at which breakers are dropped that are no longer needed.
  std::size_t next_cleaning_ = 16;
};

}  // namespace trunkline::balance
