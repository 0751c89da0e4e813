// SPDX-License-Identifier: MIT
// Admission: raises the counts, and writes the text of a refusal.
#include "server/admission.h"

#include <string>

namespace trunkline::server {

Admission::Admission(const Limits& limits, const OverloadOptions& overload)
    : limits_(limits), priorities_(overload), shedding_(overload) {
  for (unsigned level = 0; level < totals_.size(); ++level) totals_[level] = priorities_.share_of(limits.total, level);
}

CallPermit Admission::admit(RegisteredMethod& method, ConnectionCalls& connection, const CallTraits& traits) noexcept {
  if (is_full(connection) || !enter(total_, totals_[traits.level])) return {};
  PeerShare* const peer = connection.peer.get();
  if (peer == nullptr || enter(peer->calls, limits_.per_peer)) {
    if (enter_method(method)) {
      ++connection.running;
      CallPermit permit(method, total_, connection);
      if (!is_limited(traits)) return permit;
      permit.in_flight_ = shedding_.enter(adaptive_limit(traits));
      // The counts that were raised above go back with the permit.
      if (permit.in_flight_ == 0) return {};
      permit.shedding_ = &shedding_;
      permit.began_ = traits.now;
      return permit;
    }
    if (peer != nullptr) peer->calls.fetch_sub(1, std::memory_order_relaxed);
  }
  total_.fetch_sub(1, std::memory_order_relaxed);
  return {};
}

Status Admission::refusal(const RegisteredMethod& method, const ConnectionCalls& connection, const CallTraits& traits) {
  const std::size_t limit = method.options.max_concurrent_calls;
  const bool is_over_peer =
      connection.peer != nullptr && connection.peer->calls.load(std::memory_order_relaxed) >= limits_.per_peer;
  std::string text = "call " + method.name + ": ";
  if (limit != 0 && method.open_calls.load(std::memory_order_relaxed) >= limit) {
    text += "the method's running calls have reached MethodOptions::max_concurrent_calls " + std::to_string(limit);
  } else if (is_over_peer) {
    text += "the peer address's running calls have reached max_concurrent_calls_per_peer " +
            std::to_string(limits_.per_peer);
  } else if (total_.load(std::memory_order_relaxed) < totals_[traits.level] && is_limited(traits)) {
    return shedding_.shed(
        method.name, "its running calls have reached the adaptive limit " + std::to_string(adaptive_limit(traits)));
  } else if (totals_[traits.level] < limits_.total) {
    return shedding_.shed(method.name, "its running calls have reached " + std::to_string(totals_[traits.level]) +
                                           ", what max_concurrent_calls leaves to calls of this priority");
  } else {
    text += "the server's running calls have reached max_concurrent_calls " + std::to_string(limits_.total);
  }
  Status status(StatusCode::resource_exhausted, text);
  status.set_may_have_run(false);
  return status;
}

}  // namespace trunkline::server
