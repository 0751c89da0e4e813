// SPDX-License-Identifier: MIT
// Writes the texts of statuses.
#include "client/call_status.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace trunkline::client {

namespace {

/// The time by which the server's timer may be ahead of the one of this side: both count from when their loops last
/// looked at the clock.
constexpr base::Duration slack = std::chrono::milliseconds(100);

/// Returns true if the server's timer ended the call. The session of a server, whose timer may fire before the one of
/// this side, knows neither method nor timeout. A handler may return the same code for reasons of its own.
bool is_servers_timer(const Status& status, const CallTimes& times) {
  const bool is_without_text = status.message().empty() || status.message() == "deadline exceeded";
  return status.code() == StatusCode::deadline_exceeded && times.deadline != base::never && is_without_text &&
         (!status.may_have_run() || times.ended >= times.deadline - slack);
}

}  // namespace

Status about_call(const MethodEntry& method, const Status& status) {
  Status result(status.code(), "call " + method.name + ": " + std::string(status.message()), status.origin());
  result.set_may_have_run(status.may_have_run());
  for (const StatusDetail& detail : status.details()) result.add_detail(detail.type_url, detail.value);
  return result;
}

Status deadline_status(const MethodEntry& method, base::Duration waited, std::string_view what) {
  const auto waited_ms = std::chrono::duration_cast<std::chrono::milliseconds>(waited).count();
  std::string text = "call " + method.name + ": deadline exceeded after " + std::to_string(waited_ms) + " ms";
  if (!what.empty()) text.append(" waiting for ").append(what);
  return {StatusCode::deadline_exceeded, text};
}

Status status_at_peer(const MethodEntry& method, Status status, const CallTimes& times, const std::string& peer) {
  const bool is_of_peer = status.origin() == StatusOrigin::peer;
  if (status.is_ok() || (is_of_peer && !is_servers_timer(status, times))) return status;
  if (status.code() != StatusCode::deadline_exceeded || times.deadline == base::never) {
    Status at_peer(status.code(), std::string(status.message()) + " (" + peer + ")", status.origin());
    at_peer.set_may_have_run(status.may_have_run());
    for (const StatusDetail& detail : status.details()) at_peer.add_detail(detail.type_url, detail.value);
    return about_call(method, at_peer);
  }
  const base::TimePoint ended = is_of_peer ? std::min(times.ended, times.deadline) : times.deadline;
  Status late = deadline_status(method, ended - times.started, "the response of " + peer);
  late.set_origin(status.origin()).set_may_have_run(status.may_have_run());
  for (const StatusDetail& detail : status.details()) late.add_detail(detail.type_url, detail.value);
  return late;
}

}  // namespace trunkline::client
