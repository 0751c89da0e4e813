// SPDX-License-Identifier: MIT
// Drawing the plan of a channel run.
#include "simulation/channel_plan.h"

#include "kit/session_end.h"

#include <algorithm>

namespace trunkline::simulation {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

ChannelCallPlan draw_call(Random& random, int index) {
  ChannelCallPlan call;
  call.index = index;
  switch (random.below(6)) {
    case 0:
      break;
    case 1:
      call.request_bytes = random.below(random.chance(10) ? 200000 : 20000);
      break;
    default:
      call.request_bytes = random.below(300);
  }
  call.one_way = random.chance(10);
  call.idempotent = random.chance(30);
  call.fails = !call.one_way && random.chance(10);
  call.suspends = random.chance(40);
  call.start_at = random.chance(50) ? microseconds(0) : microseconds(random.below(500000));
  call.work_time = microseconds(random.below(100000));
  if (random.chance(12)) call.timeout = microseconds(1 + random.below(300000));
  if (!call.one_way && random.chance(10)) call.cancel_after = microseconds(random.below(200000));
  return call;
}

}  // namespace

ChannelPlan::ChannelPlan(std::uint64_t run_seed) : seed(run_seed) {
  Random random(run_seed * 7919 + 17);
  channel.codecs = kit::bytes_codecs();
  channel.compressors = kit::snappy_compressors();
  server.codecs = kit::bytes_codecs();
  server.compressors = kit::snappy_compressors();
  if (random.chance(20)) channel.compressor = "snappy";
  channel.backoff.seed = run_seed + 1;
  channel.backoff.initial = milliseconds(10);
  channel.max_connections = random.chance(30) ? 1 + random.below(3) : 1;
  channel.ordered = channel.max_connections == 1 && random.chance(15);
  if (random.chance(20)) channel.idle_timeout = milliseconds(50);
  channel.max_retries = 10;
  for (ConnectionLimits* limits : {&channel.limits, &server.limits}) {
    limits->call_credit_bytes = random.pick<std::uint32_t>({65536, 1 << 20});
    limits->max_unsent_bytes = random.pick<std::size_t>({65536, 1 << 20});
    limits->chunk_bytes = random.pick<std::uint32_t>({1024, 10000, 128 << 10});
    limits->read_buffer_bytes = random.pick<std::size_t>({0, 4096, 65536});
  }
  for (ConnectionLimits* limits : {&channel.limits, &server.limits}) {
    if (random.chance(20)) limits->keepalive_interval = milliseconds(50);
    if (random.chance(10)) limits->keepalive_while_idle = true;
  }
  // The channels above ping more often than a server of gRPC permits.
  server.min_ping_interval = {};
  if (random.chance(20)) server.max_concurrent_calls_per_connection = 5;
  link_bytes = random.pick<std::size_t>({500, 20000, 262144});
  largest_step = random.pick<std::size_t>({200, 5000, 1 << 20});
  if (random.chance(40)) delay = microseconds(random.below(10000));
  if (largest_step == 200) {  // bytes on their way must arrive within the linger_timeout of a connection
    delay = std::min<base::Duration>(delay, milliseconds(1));
    link_bytes = std::min<std::size_t>(link_bytes, 20000);
  }
  breaks = random.chance(40);
  if (random.chance(20)) refused_connections = static_cast<int>(random.below(4));
  if (random.chance(15)) {
    silent_connections = static_cast<int>(random.below(4));
    channel.limits.handshake_timeout = milliseconds(500);
  }
  if (random.chance(15)) closed_connections = static_cast<int>(random.below(20));
  if (random.chance(40)) drains.push_back(microseconds(random.below(600000)));
  if (random.chance(10)) drains.push_back(microseconds(random.below(600000)));
  const int count = static_cast<int>(1 + random.below(random.chance(20) ? 80 : 12));
  for (int i = 0; i < count; ++i) calls.push_back(draw_call(random, i));
  if (random.chance(10)) {
    // Storms: calls that begin at once and are cancelled soon.
    const microseconds at(random.below(300000));
    for (std::uint64_t i = random.below(150); i > 0; --i) {
      ChannelCallPlan call = draw_call(random, static_cast<int>(calls.size()));
      call.start_at = at;
      if (!call.one_way) call.cancel_after = microseconds(random.below(30000));
      calls.push_back(call);
    }
  }
  if (random.chance(20)) limit_memory(random);
  if (random.below(200) == 0) add_goaway_before_most(random);
  is_grpc = !channel.ordered && random.chance(40);
  repeat_calls(Random(run_seed * 104729 + 71));
}

/// Has a generator of its own, so that the rest of a plan does not depend on it.
void ChannelPlan::repeat_calls(Random random) {
  if (random.chance(25)) {
    is_retried = true;
    channel.service_config = R"({"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 3,
      "initialBackoff": "0.01s", "maxBackoff": "0.1s", "backoffMultiplier": 2,
      "retryableStatusCodes": ["ABORTED"]}}]})";
  } else if (random.chance(33)) {
    const int attempts = 2 + static_cast<int>(random.below(3));
    const microseconds after(random.chance(20) ? 0 : random.below(60000));
    channel.hedging = HedgingOptions{.max_attempts = attempts, .delay = after, .max_extra = 4};
  }
}

/// Small budgets on both sides, and long requests and responses that exceed them together.
void ChannelPlan::limit_memory(Random& random) {
  for (ConnectionLimits* limits : {&channel.limits, &server.limits}) limits->max_message_bytes = 256 << 10;
  channel.max_memory_bytes = server.max_memory_bytes = 1 << 20;
  is_short_of_memory = true;
  if (largest_step == 200 || link_bytes == 500) return;
  for (ChannelCallPlan& call : calls) {
    if (random.chance(30)) call.request_bytes = random.below(200000);
  }
}

/// The server goes away before it has looked at more calls than the retry budget would pay for.
void ChannelPlan::add_goaway_before_most(Random& random) {
  const std::size_t most = 1200 + random.below(400);
  while (calls.size() < most) {
    calls.push_back({.index = static_cast<int>(calls.size()), .request_bytes = random.below(20)});
  }
  drains = {microseconds(random.below(2000))};
  breaks = false;
  delay = milliseconds(2);
  link_bytes = 262144;
  largest_step = 1 << 20;
}

std::string ChannelPlan::describe() const {
  return "channel seed " + std::to_string(seed) + ": calls " + std::to_string(calls.size()) + " connections " +
         std::to_string(channel.max_connections) + " ordered " + std::to_string(channel.ordered) + " grpc " +
         std::to_string(is_grpc) + " retried " + std::to_string(is_retried) + " hedged " +
         std::to_string(channel.hedging.has_value()) + " breaks " + std::to_string(breaks) + " drains " +
         std::to_string(drains.size()) + " step " + std::to_string(largest_step) + " link " +
         std::to_string(link_bytes);
}

TransportFaults ChannelPlan::draw_faults(Random& random) const {
  TransportFaults faults{.seed = random.next(), .largest_step = largest_step, .delay = delay};
  if (breaks && random.chance(60)) faults.break_after = random.below(random.chance(50) ? 1000 : 100000);
  return faults;
}

}  // namespace trunkline::simulation
