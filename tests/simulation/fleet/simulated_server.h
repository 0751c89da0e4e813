// SPDX-License-Identifier: MIT
// SimulatedServer: some workers and a queue.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace trunkline::simulation {

enum class ServerCondition : std::uint8_t {
  serving,
  /// It finishes what it has, and then goes down.
  draining,
  /// Whoever tries it learns at once that it is not there.
  down,
  /// Nothing that is sent to it arrives, and nothing comes back.
  cut_off,
};

/// It holds attempts by their numbers and knows no time; the run decides how long a worker is busy.
struct SimulatedServer {
  double speed = 1;
  std::size_t workers = 8;
  std::uint32_t zone = 0;
  ServerCondition condition = ServerCondition::serving;
  /// Grows with each death, so that what was planned in a former life is recognised.
  std::uint32_t life = 0;
  std::vector<std::uint32_t> running{};
  std::deque<std::uint32_t> queue{};
  /// Work of refusals, in seconds at speed 1, that the next call has to wait for.
  double owed = 0;
  std::uint64_t measured_attempts = 0;
  /// Of the clients that use it.
  std::vector<std::uint32_t> links{};

  bool has_free_worker() const noexcept { return running.size() < workers; }
  bool is_idle() const noexcept { return running.empty() && queue.empty(); }
  void remove_running(std::uint32_t attempt) {
    const auto found = std::find(running.begin(), running.end(), attempt);
    *found = running.back();
    running.pop_back();
  }
};

}  // namespace trunkline::simulation
