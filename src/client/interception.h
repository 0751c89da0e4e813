// SPDX-License-Identifier: MIT
// Interception: what one call needs of its own to go through the interceptors of its channel.
#pragma once

#include "call/interceptor_chain.h"

#include <utility>

namespace trunkline::client {

/// Must not move from start() until finish().
struct Interception {
  CallInfo info;
  /// How many interceptors have been started.
  std::size_t started = 0;

  /// Runs on_start. `metadata` must not move until finish() either. Interceptors may bring `deadline` forward.
  Status start(const call::InterceptorChain& chain, std::string_view method, base::TimePoint now,
               base::TimePoint& deadline, Metadata& metadata) {
    info.side = Side::client;
    info.id = call::InterceptorChain::next_call_id();
    info.method = method;
    info.started = now;
    info.deadline = deadline;
    info.metadata = &metadata;
    Status status = chain.start(info, started);
    if (info.deadline < deadline) deadline = info.deadline;
    return status;
  }
  /// Runs on_finish of the interceptors that were started.
  void finish(const call::InterceptorChain& chain, std::string_view peer, Metadata& trailing, Status& status) {
    if (started == 0) return;
    info.peer = peer;
    info.metadata = &trailing;
    chain.finish(info, std::exchange(started, 0), status);
  }
};

}  // namespace trunkline::client
