// SPDX-License-Identifier: MIT
// OverloadOptions: what a server does when more calls come than it can serve in time.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace trunkline {

/// The way in which a server sheds load. Everything is off by default. Calls that are shed end with unavailable, have
/// not run, and carry Status::retry_after().
struct OverloadOptions {
  /// If it is true, the server finds by the latency of calls how many may run or wait for a worker at a time, and sheds
  /// those beyond. It counts unary calls whose handlers are coroutines, block, or are written in Python. Streams, whose
  /// duration says nothing of the load, and plain handlers, which never wait, are neither counted nor shed.
  bool adaptive_limit = false;
  /// The least adaptive limit: as many calls as the server runs without delay in any case; 1 to 1000000.
  std::size_t min_adaptive_limit = 4;
  /// The greatest adaptive limit, unless min_adaptive_limit is greater; 1 to 1000000.
  std::size_t max_adaptive_limit = 10000;
  /// The shortest time for which latencies are gathered before the limit is set anew; 1 ms or more.
  std::chrono::milliseconds adaptive_window{100};
  /// The percentage by which calls may take longer than without load before the limit is lowered; 1 to 1000.
  unsigned adaptive_tolerance_percent = 25;
  /// Once the queue of calls that wait for a worker has stood for queue_interval, that is, has not been empty and its
  /// oldest call has waited for this long, workers take the newest call first and shed those that have waited longer.
  /// 0: never.
  std::chrono::milliseconds queue_target{0};
  /// The time after which a queue counts as standing, as queue_target says; 1 ms or more.
  std::chrono::milliseconds queue_interval{100};
  /// The name of the metadata that says how important a call is; empty: calls have no priorities. The caller says it,
  /// so let only trusted callers reach the server, or set it in a proxy.
  std::string priority_metadata{};
  /// The values of that metadata, the most important first; 1 to 8. As running calls approach a limit of the server, it
  /// sheds calls of the last priority from three quarters of the limit on, and those of the first one at the limit.
  std::vector<std::string> priorities{"critical", "normal", "sheddable"};
  /// The priority of calls that name none or an unknown one. It is one of `priorities`.
  std::string default_priority = "normal";
};

}  // namespace trunkline
