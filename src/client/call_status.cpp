// SPDX-License-Identifier: MIT
// Texts of statuses.
#include "client/call_status.h"

#include <chrono>

namespace trunkline::client {

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

Status status_at_peer(const MethodEntry& method, Status status, base::TimePoint deadline, base::TimePoint started,
                      const std::string& peer) {
  const bool may_have_run = status.may_have_run();
  // The server's timer may fire before the one of this side, and its session knows neither method nor timeout.
  const bool is_servers_timer = status.code() == StatusCode::deadline_exceeded && deadline != base::never &&
                                (status.message().empty() || status.message() == "deadline exceeded");
  if (status.is_ok() || (status.origin() == StatusOrigin::peer && !is_servers_timer)) return status;
  const StatusOrigin origin = status.origin();
  if (status.code() == StatusCode::deadline_exceeded && deadline != base::never) {
    status = deadline_status(method, deadline - started, "the response of " + peer);
  } else {
    status =
        about_call(method, Status(status.code(), std::string(status.message()) + " (" + peer + ")", status.origin()));
  }
  status.set_origin(origin).set_may_have_run(may_have_run);
  return status;
}

}  // namespace trunkline::client
