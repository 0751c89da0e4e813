// SPDX-License-Identifier: MIT
// Drawing a plan.
#include "simulation/plan.h"

#include <algorithm>

namespace trunkline::simulation {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t longest_message = 512 * 1024;

std::uint32_t draw_size(Random& random, std::size_t& budget) {
  std::uint64_t size = 0;
  switch (random.below(10)) {
    case 0:
      size = 0;
      break;
    case 1:
    case 2:
    case 3:
      size = random.below(32);
      break;
    case 4:
    case 5:
    case 6:
      size = random.below(3000);
      break;
    case 7:
      size = random.pick<std::uint64_t>({1023, 1024, 1025, 4095, 4096, 8192, 16384, 65535, 65536});
      break;
    case 8:
      size = random.below(70000);
      break;
    default:
      size = random.chance(20) ? random.below(longest_message) : random.below(20000);
  }
  if (size > budget) size = random.below(64);
  budget -= std::min<std::size_t>(budget, size);
  return static_cast<std::uint32_t>(size);
}

session::SessionOptions draw_options(Random& random, bool is_server) {
  session::SessionOptions options = kit::plain_options();
  ConnectionLimits& limits = options.limits;
  limits.call_credit_bytes = random.pick<std::uint32_t>({65536, 65536, 100000, 1 << 20});
  limits.connection_credit_bytes = random.pick<std::uint32_t>({1 << 20, 1 << 20, 16 << 20});
  limits.chunk_bytes = random.pick<std::uint32_t>({1024, 4096, 10000, 128 << 10});
  limits.max_frame_bytes = random.pick<std::uint32_t>({65536, 1 << 20});
  limits.max_unsent_bytes = random.pick<std::size_t>({4096, 65536, 1 << 20});
  limits.read_buffer_bytes = random.pick<std::size_t>({0, 256, 4096, 65536});
  options.compression_threshold = random.pick<std::size_t>({0, 1024});
  if (random.chance(30)) limits.max_unread_bytes = random.pick<std::size_t>({longest_message, 2 * longest_message});
  if (random.chance(20)) limits.keepalive_interval = milliseconds(50);
  if (random.chance(20)) limits.max_methods = 256;
  if (is_server) options.max_concurrent_calls = random.pick<std::uint32_t>({1, 2, 5, 1000});
  return options;
}

CallPlan draw_call(Random& random, int index, std::size_t& budget) {
  CallPlan call;
  call.index = index;
  // Seldom more methods than the smallest max_methods.
  call.method_key = random.chance(10) ? 0 : static_cast<std::uint32_t>(1 + random.below(random.chance(5) ? 400 : 4));
  call.method = "simulation/Method" + std::to_string(call.method_key);
  call.with_metadata = random.chance(20);
  call.compressed = random.chance(20);
  call.repetitive = random.chance(40);
  call.direct = random.chance(40);
  call.start_at = random.chance(50) ? microseconds(0) : microseconds(random.below(300000));
  call.finish_delay = random.chance(60) ? microseconds(0) : microseconds(random.below(100000));
  if (random.chance(3)) call.finish_delay = milliseconds(random.below(20000));
  if (random.chance(15)) call.client_read_delay = microseconds(random.below(50000));
  if (random.chance(15)) call.server_read_delay = microseconds(random.below(50000));
  const bool streams_requests = random.chance(25);
  const bool streams_responses = random.chance(25);
  const std::uint64_t requests = streams_requests ? random.below(8) : random.below(10) == 0 ? 0 : 1;
  for (std::uint64_t i = 0; i < requests; ++i) call.requests.push_back(draw_size(random, budget));
  call.ends_with_last = !streams_requests || random.chance(50);
  if (!streams_requests && random.chance(12)) {
    call.one_way = true;
    return call;
  }
  if (streams_responses) {
    for (std::uint64_t i = random.below(8); i > 0; --i) call.responses.push_back(draw_size(random, budget));
  }
  if (random.chance(80)) call.final_response = draw_size(random, budget);
  if (random.chance(12)) {
    call.status = static_cast<StatusCode>(1 + random.below(16));
    call.final_response.reset();
  }
  call.finish_time =
      random.pick({FinishTime::when_read, FinishTime::when_read, FinishTime::at_once, FinishTime::early});
  if (call.finish_time == FinishTime::at_once && !call.is_simple()) call.finish_time = FinishTime::when_read;
  if (random.chance(10)) call.timeout = microseconds(random.below(200000));
  if (random.chance(10)) call.cancel_after = microseconds(random.below(200000));
  if ((call.timeout || call.cancel_after) && random.chance(30)) call.finish_time = FinishTime::never;
  return call;
}

}  // namespace

Plan::Plan(std::uint64_t run_seed) : seed(run_seed) {
  Random random(run_seed);
  pair.client = draw_options(random, false);
  pair.server = draw_options(random, true);
  pair.client.ordered = random.chance(15);
  pair.latency = random.chance(40) ? microseconds(0) : microseconds(random.below(40000));
  pair.link_capacity = random.pick<std::size_t>({300, 5000, 65536, 262144});
  std::size_t budget = random.chance(15) ? 1500000 : 150000;
  const bool byte_by_byte = random.chance(8);
  largest_step = byte_by_byte ? 3 : random.pick<std::size_t>({50, 1500, 20000, 1 << 20});
  if (largest_step < 1500 || pair.link_capacity < 5000) budget = 20000;
  const int count = static_cast<int>(1 + random.below(random.chance(20) ? 60 : 12));
  for (int i = 0; i < count; ++i) calls.push_back(draw_call(random, i, budget));
  if (random.chance(8)) add_storm(random);

  if (random.chance(30)) {
    fault = static_cast<Fault>(1 + random.below(6));
    fault_at = microseconds(random.below(300000));
    fault_position = random.below(random.chance(50) ? 400 : 40000);
    fault_mask = static_cast<std::uint8_t>(1u << random.below(8));
  }
  if (random.chance(20)) server_drain_at = microseconds(random.below(400000));
  if (random.chance(10)) client_drain_at = microseconds(random.below(400000));
  if (random.chance(10)) server_drain_byte = random.below(random.chance(50) ? 400 : 40000);
  if (random.chance(5)) client_drain_byte = random.below(random.chance(50) ? 400 : 40000);
  if (random.chance(15)) pause_client_at = microseconds(random.below(300000));
  if (random.chance(15)) pause_server_at = microseconds(random.below(300000));
  pause_for = microseconds(random.below(300000));
  if (random.chance(25)) limit_memory(random);

  const bool is_quick = largest_step >= 1500 && pair.link_capacity >= 5000;
  const bool has_end =
      fault != Fault::none || server_drain_at || client_drain_at || server_drain_byte || client_drain_byte;
  if (is_quick && !has_end && !pair.client.ordered && max_memory_bytes == 0 && random.chance(30)) {
    // Short calls are to take less than a second, so what the streams may send has to have passed the link before.
    constexpr double bytes_per_second = 1e6;
    const double seconds_of_latency = std::chrono::duration<double>(pair.latency).count();
    if (static_cast<double>(pair.link_capacity) >= bytes_per_second * seconds_of_latency) add_stopped_readers(random);
  }
}

/// Many calls at once, nearly all of which are cancelled soon.
void Plan::add_storm(Random& random) {
  const microseconds at(random.below(300000));
  const std::uint64_t spread = random.pick<std::uint64_t>({1, 1000, 100000});
  const bool is_short = random.chance(60);
  std::size_t budget = is_short ? 20000 : 400000;
  for (std::uint64_t i = 20 + random.below(150); i > 0; --i) {
    CallPlan call = draw_call(random, static_cast<int>(calls.size()), budget);
    call.start_at = at + microseconds(random.below(spread));
    if (!call.one_way && random.chance(95)) {
      call.cancel_after = microseconds(random.below(spread));
      if (random.chance(50)) call.finish_time = FinishTime::never;
    }
    calls.push_back(std::move(call));
  }
}

/// Streams of one side that nobody reads for about a minute, more than the connection's credit; their readers go on in
/// any order, or give up. Short calls pass meanwhile.
void Plan::add_stopped_readers(Random& random) {
  for (session::SessionOptions* const options : {&pair.client, &pair.server}) {
    options->limits.call_credit_bytes = 65536;
    options->limits.connection_credit_bytes = 1 << 20;
    options->limits.max_unread_bytes = ConnectionLimits{}.max_unread_bytes;
    options->max_concurrent_calls = 1000;
  }
  const bool is_to_server = random.chance(50);
  const auto size = random.pick<std::uint32_t>({500, 1000, 5000, 20000, 65536, 70000});
  for (std::uint64_t i = 20 + random.below(15); i > 0; --i) {
    CallPlan call;
    call.index = static_cast<int>(calls.size());
    call.method_key = 1;
    call.method = "simulation/Method1";
    std::vector<std::uint32_t>& messages = is_to_server ? call.requests : call.responses;
    messages.assign(150000 / size + 1, size);
    call.ends_with_last = random.chance(50);
    (is_to_server ? call.server_read_delay : call.client_read_delay) = seconds(40 + random.below(40));
    if (random.chance(20)) call.cancel_after = seconds(random.below(100));
    calls.push_back(std::move(call));
  }
  for (const int start : {15, 20, 35}) {
    CallPlan call;
    call.index = static_cast<int>(calls.size());
    call.method_key = 1;
    call.method = "simulation/Method1";
    call.requests = {100};
    call.final_response = 100;
    call.start_at = seconds(start);
    call.ends_within = seconds(1);
    calls.push_back(std::move(call));
  }
}

void Plan::limit_memory(Random& random) {
  constexpr std::uint32_t longest = 100000;
  max_memory_bytes = random.pick<std::size_t>({4 * longest, 6 * longest, 10 * longest});
  others_want_of_client = random.pick<std::size_t>({max_memory_bytes / 2, max_memory_bytes * 3 / 4, max_memory_bytes});
  others_want_of_server = random.pick<std::size_t>({max_memory_bytes / 2, max_memory_bytes * 3 / 4, max_memory_bytes});
  others_hold_at = microseconds(random.below(300000));
  others_hold_for = milliseconds(random.below(60000));
  for (session::SessionOptions* const options : {&pair.client, &pair.server}) {
    options->limits.max_message_bytes = longest;
    options->limits.stall_timeout = milliseconds(0);
  }
  // Compression may make a message longer.
  const auto cut = [&](std::uint32_t& size) { size = std::min(size, longest - 1000); };
  const bool is_quick = largest_step >= 1500 && pair.link_capacity >= 5000;
  if (is_quick && random.chance(60)) {
    // Many messages that have several times the budget together. Half of the time none comes in chunks.
    has_long_messages = random.chance(50);
    const std::uint32_t most = has_long_messages ? longest : 60000;
    const auto lengthen = [&](std::uint32_t& size) {
      size = random.chance(50) ? static_cast<std::uint32_t>(20000 + random.below(most - 20000)) : std::min(size, most);
    };
    if (!has_long_messages) {
      for (session::SessionOptions* const options : {&pair.client, &pair.server}) {
        options->limits.chunk_bytes = 128 << 10;
        options->limits.connection_credit_bytes = 16 << 20;
      }
    }
    for (CallPlan& call : calls) {
      for (std::uint32_t& size : call.requests) lengthen(size);
      for (std::uint32_t& size : call.responses) lengthen(size);
      if (call.final_response) lengthen(*call.final_response);
    }
  }
  for (CallPlan& call : calls) {
    for (std::uint32_t& size : call.requests) cut(size);
    for (std::uint32_t& size : call.responses) cut(size);
    if (call.final_response) cut(*call.final_response);
    // Slow readers: the budget is used up by messages that the application has yet to take.
    if (random.chance(15)) call.client_read_delay = milliseconds(random.below(20000));
    if (random.chance(15)) call.server_read_delay = milliseconds(random.below(20000));
  }
}

std::string Plan::describe() const {
  const auto options = [](const session::SessionOptions& o) {
    return "call_credit " + std::to_string(o.limits.call_credit_bytes) + " chunk " +
           std::to_string(o.limits.chunk_bytes) + " max_frame " + std::to_string(o.limits.max_frame_bytes) +
           " max_unsent " + std::to_string(o.limits.max_unsent_bytes) + " read " +
           std::to_string(o.limits.read_buffer_bytes) + " concurrent " + std::to_string(o.max_concurrent_calls);
  };
  return "seed " + std::to_string(seed) + ": calls " + std::to_string(calls.size()) + " ordered " +
         std::to_string(pair.client.ordered) + " fault " + std::to_string(static_cast<int>(fault)) + " step " +
         std::to_string(largest_step) + " link " + std::to_string(pair.link_capacity) + " memory " +
         std::to_string(max_memory_bytes) + "\n  client " + options(pair.client) + "\n  server " + options(pair.server);
}

std::string_view content(int call, Direction direction, std::size_t index, std::size_t size, bool repetitive) {
  const auto make = [](std::size_t longest_run) {
    std::string made;
    Random random(1);
    made.reserve(2 * longest_message);
    while (made.size() < 2 * longest_message) {
      const std::size_t run = std::min<std::size_t>(1 + random.below(longest_run), 2 * longest_message - made.size());
      made.append(run, static_cast<char>(random.next()));
    }
    return made;
  };
  static const std::string varied = make(6);
  static const std::string runs = make(1000);
  const std::uint64_t key =
      static_cast<std::uint64_t>(call) * 1000003u + index * 7919u + static_cast<unsigned>(direction);
  return std::string_view(repetitive ? runs : varied).substr(Random(key).below(longest_message), size);
}

}  // namespace trunkline::simulation
