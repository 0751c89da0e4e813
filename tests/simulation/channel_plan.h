// SPDX-License-Identifier: MIT
// ChannelPlan: all that happens in one run of the channel simulation, drawn from its seed.
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
  bool fails = false;     ///< the handler answers with a status of its own
  bool suspends = false;  ///< the handler is a coroutine that takes its time
  base::Duration start_at{};
  base::Duration work_time{};  ///< of a handler that suspends
  std::optional<base::Duration> timeout;
  std::optional<base::Duration> cancel_after;
};

struct ChannelPlan {
  std::uint64_t seed = 0;
  ChannelOptions channel;
  ServerOptions server;
  std::vector<ChannelCallPlan> calls;
  std::vector<base::Duration> drains;  ///< a server is shut down in order and another takes its place
  bool breaks = false;                 ///< connections may break
  int refused_connections = 0;
  std::size_t link_bytes = 0;
  std::size_t largest_step = 0;
  base::Duration delay{};

  explicit ChannelPlan(std::uint64_t seed);
  std::string describe() const;
  TransportFaults draw_faults(Random& random) const;
};

}  // namespace trunkline::simulation
