// SPDX-License-Identifier: MIT
// Plan: all that happens in one run of the session simulation, drawn from its seed before it begins.
#pragma once

#include "base/clock.h"
#include "kit/session_pair.h"
#include "simulation/random.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::simulation {

/// What the run must never show.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// When the server answers a call.
enum class Answering : std::uint8_t {
  at_once,    ///< in the call event itself, without keeping the call
  when_read,  ///< once the client's last message has come
  early,      ///< without waiting for the client's messages
  never,      ///< the client's deadline or cancellation ends it
};

struct CallPlan {
  int index = 0;
  std::uint32_t method_key = 0;
  std::string method;
  bool one_way = false;
  std::vector<std::uint32_t> requests;  ///< sizes of the client's messages
  bool ends_with_last = true;           ///< `end` comes with the last message, not on its own
  std::vector<std::uint32_t> responses;
  std::optional<std::uint32_t> final_response;
  StatusCode status = StatusCode::ok;
  Answering answering = Answering::when_read;
  bool with_metadata = false;
  bool compressed = false;
  bool direct = false;  ///< messages as objects with a direct form, not as encoded bytes
  base::Duration start_at{};
  base::Duration answer_delay{};
  base::Duration client_read_delay{};
  base::Duration server_read_delay{};
  std::optional<base::Duration> timeout;
  std::optional<base::Duration> cancel_after;

  /// A call with one request at most and no response but the last.
  bool is_simple() const noexcept { return requests.size() <= 1 && ends_with_last && responses.empty(); }
};

enum class Fault : std::uint8_t {
  none,
  reset,        ///< the link breaks
  spoilt_byte,  ///< a byte changes on its way
  cut_client,   ///< the client's stream ends at some byte
  cut_server,
  client_close,  ///< session.close()
  server_close,
};

struct Plan {
  std::uint64_t seed = 0;
  kit::SessionPair::Options pair;
  std::vector<CallPlan> calls;
  Fault fault = Fault::none;
  base::Duration fault_at{};
  std::uint64_t fault_position = 0;
  std::uint8_t fault_mask = 1;
  std::optional<base::Duration> server_drain_at;
  std::optional<base::Duration> client_drain_at;
  std::optional<base::Duration> pause_client_at;  ///< stops reading for a while
  std::optional<base::Duration> pause_server_at;
  base::Duration pause_for{};
  std::size_t largest_step = 0;  ///< bytes moved at once are 1 to this

  explicit Plan(std::uint64_t seed);
  std::string describe() const;
};

enum class Direction : std::uint8_t { request, response };

/// The bytes of a message; they stay where they are.
std::string_view content(int call, Direction direction, std::size_t index, std::size_t size);

}  // namespace trunkline::simulation
