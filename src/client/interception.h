// SPDX-License-Identifier: MIT
// Interception: the state of one call while it goes through the interceptors of its channel.
#pragma once

#include "call/interceptor_chain.h"

#include <utility>

namespace trunkline::client {

/// The state of one call. The object must not be moved between start() and finish().
struct Interception {
  CallInfo info;
  /// The number of interceptors that have been started.
  std::size_t started = 0;

  /// Runs on_start. `metadata` must not be moved until finish() either. Interceptors may set an earlier `deadline`.
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
