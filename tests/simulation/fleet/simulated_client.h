// SPDX-License-Identifier: MIT
// SimulatedClient: what a channel knows of the servers that it uses, with the library's policies.
#pragma once

#include "balance/hedge_policy.h"
#include "balance/outlier_detector.h"
#include "balance/policy.h"
#include "balance/server_load.h"
#include "client/retry_policy.h"
#include "simulation/fleet/fleet_plan.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace trunkline::simulation {

/// Its servers have slots, which stay theirs. It puts the policies together as client::Fleet does.
class SimulatedClient {
 public:
  static constexpr std::chrono::seconds slow_start{10};

  SimulatedClient(const FleetPlan& plan, std::uint32_t zone, std::uint64_t seed, base::TimePoint now);

  struct Listed {
    /// The number of the server.
    std::uint32_t server;
    double weight;
    std::uint32_t zone;
  };
  /// The servers that it uses from now on. A server that is new takes the slot of one that is not listed any more, and
  /// which has no open attempt. Returns the slots of those that are new; they are not ready yet.
  std::vector<std::size_t> list(std::span<const Listed> servers);

  std::uint32_t zone() const noexcept { return zone_; }
  std::uint64_t seed() const noexcept { return seed_; }
  std::size_t slots() const noexcept { return slots_.size(); }
  std::uint32_t server_of(std::size_t slot) const noexcept { return servers_[slot]; }
  const balance::ServerLoad& load(std::size_t slot) const noexcept { return loads_[slot]; }
  bool is_ready(std::size_t slot) const noexcept { return slots_[slot].is_ready; }
  void set_ready(std::size_t slot, bool is_ready, base::TimePoint now);
  /// The connection has ended by an error.
  void lose(std::size_t slot, base::TimePoint now);
  /// Counts a failure to connect, and returns the pause before the next attempt.
  base::Duration pause_before_dial(std::size_t slot) { return backoff_.after(++slots_[slot].failures); }

  /// The slot for an attempt that starts now, which is counted; empty: no server is ready.
  std::optional<std::size_t> start(std::uint64_t key, const balance::ServerLoad* avoided, base::TimePoint now);
  void end(std::size_t slot, balance::Outcome outcome, base::Duration latency, base::TimePoint now);

  /// For the processor's cache: a call will start soon, and one in this slot will end.
  void prefetch_start() const noexcept {
    __builtin_prefetch(policy_.get());
    __builtin_prefetch(servers_.data());
    const char* const begin = reinterpret_cast<const char*>(loads_.data());
    for (std::size_t i = 0; i < loads_.size() * sizeof(balance::ServerLoad); i += 64) __builtin_prefetch(begin + i);
  }
  void prefetch_end(std::size_t slot) const noexcept { __builtin_prefetch(&loads_[slot].ready_since); }

  client::RetryPolicy& retries() noexcept { return retries_; }
  /// Null: there is no hedging.
  balance::HedgePolicy* hedging() noexcept { return hedging_.get(); }
  /// For clients with outlier detection.
  base::TimePoint next_sweep() const noexcept { return detector_->next_sweep(); }
  void sweep(base::TimePoint now);

 private:
  struct Slot {
    int failures = 0;
    bool is_ready = false;
    balance::OutlierRecord record{};
  };

  void fill(std::size_t slot, const Listed& server);
  void update_policy();

  const std::uint32_t zone_;
  const std::uint64_t seed_;
  const bool prefers_zone_;
  std::vector<balance::ServerLoad> loads_;
  std::vector<std::uint32_t> servers_;
  std::vector<Slot> slots_;
  std::vector<balance::ServerLoad*> ready_;
  std::unique_ptr<balance::Policy> policy_;
  std::unique_ptr<balance::OutlierDetector> detector_;
  std::unique_ptr<balance::HedgePolicy> hedging_;
  client::RetryPolicy retries_;
  client::Backoff backoff_;
};

}  // namespace trunkline::simulation
