// SPDX-License-Identifier: MIT
// Plan: everything that happens in one run of the session simulation, drawn from its seed before the run.
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

/// A rule that a run has broken.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// When the server finishes a call.
enum class FinishTime : std::uint8_t {
  /// In the call event itself, without attaching the call.
  at_once,
  /// After the client's last message has arrived.
  when_read,
  /// Without waiting for the client's messages.
  early,
  /// The client's deadline or cancellation ends the call.
  never,
};

struct CallPlan {
  int index = 0;
  std::uint32_t method_key = 0;
  std::string method;
  bool one_way = false;
  /// Sizes of the client's messages.
  std::vector<std::uint32_t> requests;
  /// `end` is sent with the last message, not in a frame of its own.
  bool ends_with_last = true;
  std::vector<std::uint32_t> responses;
  std::optional<std::uint32_t> final_response;
  StatusCode status = StatusCode::ok;
  FinishTime finish_time = FinishTime::when_read;
  bool with_metadata = false;
  bool compressed = false;
  /// Its messages compress to a small part of their size.
  bool repetitive = false;
  /// Messages are objects with a direct form, not encoded bytes.
  bool direct = false;
  base::Duration start_at{};
  base::Duration finish_delay{};
  base::Duration client_read_delay{};
  base::Duration server_read_delay{};
  std::optional<base::Duration> timeout;
  std::optional<base::Duration> cancel_after;
  /// The call ends by this time after start_at, whatever other calls do.
  std::optional<base::Duration> ends_within;

  /// A call with at most one request and one response.
  bool is_simple() const noexcept { return requests.size() <= 1 && ends_with_last && responses.empty(); }
};

enum class Fault : std::uint8_t {
  none,
  /// The link breaks.
  reset,
  /// A byte changes on its way.
  corrupt_byte,
  /// The client's stream ends at some byte.
  cut_client,
  cut_server,
  /// Session::close().
  client_close,
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
  /// The same after so many bytes of the client.
  std::optional<std::uint64_t> server_drain_byte;
  std::optional<std::uint64_t> client_drain_byte;
  /// When the client stops reading for a while.
  std::optional<base::Duration> pause_client_at;
  std::optional<base::Duration> pause_server_at;
  base::Duration pause_for{};
  /// The number of bytes moved at once is drawn from 1 to this.
  std::size_t largest_step = 0;
  /// 0: no limit. Otherwise each side has a budget, a part of which other connections hold at times.
  std::size_t max_memory_bytes = 0;
  /// As far as the budget has it.
  std::size_t others_want_of_client = 0;
  std::size_t others_want_of_server = 0;
  /// With a budget: messages may come in chunks.
  bool has_long_messages = true;
  base::Duration others_hold_at{};
  base::Duration others_hold_for{};

  explicit Plan(std::uint64_t seed);
  std::string describe() const;

 private:
  void limit_memory(Random& random);
  void add_storm(Random& random);
  void add_stopped_readers(Random& random);
};

enum class Direction : std::uint8_t { request, response };

/// The bytes of a message; the view stays valid. Messages that are not `repetitive` hardly become shorter when they are
/// compressed.
std::string_view content(int call, Direction direction, std::size_t index, std::size_t size, bool repetitive = false);

}  // namespace trunkline::simulation
