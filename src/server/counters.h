// SPDX-License-Identifier: MIT
// Counters: what one loop has done, counted by its thread and read by any.
#pragma once

#include "base/counter.h"

#include <trunkline/server_stats.h>

namespace trunkline::server {

using base::Counter;

struct Counters {
  Counter connections;
  Counter connections_accepted;
  Counter connections_refused;
  Counter open_calls;
  Counter calls_started;
  Counter calls_ok;
  Counter calls_failed;
  Counter calls_cancelled;
  Counter calls_refused;
  Counter handler_exceptions;

  void add_to(ServerStats& stats) const noexcept {
    stats.connections += connections.value();
    stats.connections_accepted += connections_accepted.value();
    stats.connections_refused += connections_refused.value();
    stats.open_calls += open_calls.value();
    stats.calls_started += calls_started.value();
    stats.calls_ok += calls_ok.value();
    stats.calls_failed += calls_failed.value();
    stats.calls_cancelled += calls_cancelled.value();
    stats.calls_refused += calls_refused.value();
    stats.handler_exceptions += handler_exceptions.value();
  }
};

}  // namespace trunkline::server
