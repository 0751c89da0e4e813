// SPDX-License-Identifier: MIT
// SimulatedCall: a call and its attempts that are open. SimulatedAttempt: one of them, at a server.
#pragma once

#include "base/clock.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace trunkline::simulation {

struct SimulatedCall {
  static constexpr std::size_t most_open = 4;

  base::TimePoint started{};
  std::uint64_t key = 0;
  /// No two calls have the same. Places are used again, so what is planned for a call names both.
  std::uint32_t serial = 0;
  std::uint32_t client = 0;
  int attempts = 0;
  int retries = 0;
  int free_retries = 0;
  bool waits_for_retry = false;
  /// Of the attempt that has failed last.
  std::uint32_t avoided_slot = 0;
  std::uint32_t open = 0;
  std::array<std::uint32_t, most_open> open_attempts{};

  void add(std::uint32_t attempt) { open_attempts[open++] = attempt; }
  void remove(std::uint32_t attempt) {
    const auto end = open_attempts.begin() + open;
    *std::find(open_attempts.begin(), end, attempt) = open_attempts[open - 1];
    --open;
  }
};

struct SimulatedAttempt {
  base::TimePoint sent{};
  std::uint32_t call = 0;
  std::uint32_t client = 0;
  std::uint32_t slot = 0;
  std::uint32_t server = 0;
  /// One way.
  base::Duration distance{};
  /// What is planned for it, and queues that it is in. With none of them, and ended by its client, it is gone.
  std::uint32_t uses = 0;
  bool is_ended = false;
  /// Its client has ended it, and the server has heard of that.
  base::TimePoint given_up = base::never;
};

}  // namespace trunkline::simulation
