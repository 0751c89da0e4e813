// SPDX-License-Identifier: MIT
// Raising the counts, and the text of a refusal.
#include "server/admission.h"

#include <string>

namespace trunkline::server {

CallPermit Admission::admit(Method& method, ConnectionCalls& connection) noexcept {
  if (connection.running >= limits_.per_connection || !enter(total_, limits_.total)) return {};
  PeerShare* const peer = connection.peer.get();
  if (peer == nullptr || enter(peer->calls, limits_.per_peer)) {
    if (enter_method(method)) {
      ++connection.running;
      return {method, total_, connection};
    }
    if (peer != nullptr) peer->calls.fetch_sub(1, std::memory_order_relaxed);
  }
  total_.fetch_sub(1, std::memory_order_relaxed);
  return {};
}

Status Admission::refusal(const Method& method, const ConnectionCalls& connection) const {
  const std::size_t limit = method.options.max_concurrent_calls;
  const bool is_over_peer =
      connection.peer != nullptr && connection.peer->calls.load(std::memory_order_relaxed) >= limits_.per_peer;
  std::string text = "call " + method.name + ": ";
  if (limit != 0 && method.open_calls.load(std::memory_order_relaxed) >= limit) {
    text += "the method's running calls have reached MethodOptions::max_concurrent_calls " + std::to_string(limit);
  } else if (connection.running >= limits_.per_connection) {
    text += "the connection's running calls have reached max_concurrent_calls_per_connection " +
            std::to_string(limits_.per_connection);
  } else if (is_over_peer) {
    text += "the peer address's running calls have reached max_concurrent_calls_per_peer " +
            std::to_string(limits_.per_peer);
  } else {
    text += "the server's running calls have reached max_concurrent_calls " + std::to_string(limits_.total);
  }
  Status status(StatusCode::resource_exhausted, text);
  status.set_may_have_run(false);
  return status;
}

}  // namespace trunkline::server
