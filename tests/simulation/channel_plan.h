// SPDX-License-Identifier: MIT
// ChannelPlan: everything that happens in one run of the channel simulation, drawn from its seed.
#pragma once

#include "simulation/faulty_transport.h"

#include <trunkline/channel_options.h>
#include <trunkline/server_options.h>

#include <optional>
#include <vector>

namespace trunkline::simulation {

struct ChannelCallPlan {
  int index = 0;
  std::size_t request_bytes = 0;
  bool one_way = false;
  bool idempotent = false;
  /// The handler returns a status that is not ok.
  bool fails = false;
  /// The handler is a coroutine that suspends for work_time.
  bool suspends = false;
  base::Duration start_at{};
  base::Duration work_time{};
  std::optional<base::Duration> timeout;
  std::optional<base::Duration> cancel_after;
};

struct ChannelPlan {
  std::uint64_t seed = 0;
  ChannelOptions channel;
  ServerOptions server;
  std::vector<ChannelCallPlan> calls;
  /// When a server is shut down in order and another one replaces it.
  std::vector<base::Duration> drains;
  /// The channel speaks gRPC.
  bool is_grpc = false;
  /// The service config retries what fails as planned, up to `most_attempts` attempts.
  bool is_retried = false;
  static constexpr int most_attempts = 3;
  /// Connections may break.
  bool breaks = false;
  int refused_connections = 0;
  /// Addresses that accept the connection and say nothing, and those that close it at once, as a proxy without a server
  /// does.
  int silent_connections = 0;
  int closed_connections = 0;
  /// The server may refuse calls for want of memory.
  bool is_short_of_memory = false;
  std::size_t link_bytes = 0;
  std::size_t largest_step = 0;
  base::Duration delay{};

  explicit ChannelPlan(std::uint64_t seed);
  std::string describe() const;
  TransportFaults draw_faults(Random& random) const;

 private:
  void repeat_calls(Random random);
  void limit_memory(Random& random);
  void add_goaway_before_most(Random& random);
};

}  // namespace trunkline::simulation
