// SPDX-License-Identifier: MIT
// What clients and servers write down of each call, and the request that tells them its number.
#pragma once

#include "../soak/records.h"

#include <trunkline/status.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline::fleet {

using soak::SharedFile;

/// `calls.py` has the same layouts and numbers.
inline constexpr unsigned sequence_bits = 17;
inline constexpr std::size_t calls_per_client = std::size_t{1} << sequence_bits;
inline constexpr std::string_view method_name = "fleet/Work";

struct Request {
  /// The number of the client, and in its lower bits that of the call.
  std::uint64_t number = 0;
  /// For how long the handler waits.
  std::uint64_t work_ms = 0;

  std::string to_string() const { return {reinterpret_cast<const char*>(this), sizeof *this}; }
  static std::optional<Request> from(std::string_view text) {
    Request request;
    if (text.size() != sizeof request) return std::nullopt;
    std::memcpy(&request, text.data(), sizeof request);
    return request;
  }
};

struct Response {
  std::uint64_t number = 0;
  /// Which server it was, from 1.
  std::uint64_t server = 0;
};

enum class Outcome : std::uint8_t {
  none,
  begun,
  ok,
  /// With an error after which the call may have run.
  possibly_run,
  /// With an error that says that the call has not run.
  not_run,
  /// With another call's response.
  wrong,
};

/// What a client writes down of a call. Times are those of the monotonic clock, in seconds.
struct Entry {
  double begun = 0;
  double ended = 0;
  std::uint8_t is_idempotent = 0;
  Outcome outcome = Outcome::none;
  /// Response::server.
  std::uint8_t server = 0;
  StatusCode code = StatusCode::ok;
  std::uint32_t unused = 0;
};
static_assert(sizeof(Entry) == 24);

}  // namespace trunkline::fleet
