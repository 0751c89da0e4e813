// SPDX-License-Identifier: MIT
// Interception: what a call needs of its own to go through interceptors.
#pragma once

#include "call/interceptor_chain.h"

namespace trunkline::client {

/// Stays where it is from start() on.
struct Interception {
  CallInfo info;
  std::size_t started = 0;

  /// Runs on_start; `metadata` stays where it is, too. `deadline` may come forward.
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
  /// Runs on_finish of those that were started.
  void finish(const call::InterceptorChain& chain, std::string_view peer, Metadata& trailing, Status& status) {
    if (started == 0) return;
    info.peer = peer;
    info.metadata = &trailing;
    chain.finish(info, std::exchange(started, 0), status);
  }
};

}  // namespace trunkline::client
