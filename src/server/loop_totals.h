// SPDX-License-Identifier: MIT
// LoopTotals: the part of one loop in ServerTotals.
#pragma once

#include "base/counter.h"

#include <trunkline/server_totals.h>

namespace trunkline::server {

/// The loop's thread writes the counters, and any thread reads them. Their meaning is that of ServerTotals' members.
struct LoopTotals {
  base::Counter connections;
  base::Counter connections_accepted;
  base::Counter connections_refused;
  base::Counter open_calls;
  base::Counter calls_started;
  base::Counter calls_ok;
  base::Counter calls_failed;
  base::Counter calls_cancelled;
  base::Counter calls_refused;
  base::Counter handler_exceptions;

  void add_to(ServerTotals& sum) const noexcept {
    sum.connections += connections.value();
    sum.connections_accepted += connections_accepted.value();
    sum.connections_refused += connections_refused.value();
    sum.open_calls += open_calls.value();
    sum.calls_started += calls_started.value();
    sum.calls_ok += calls_ok.value();
    sum.calls_failed += calls_failed.value();
    sum.calls_cancelled += calls_cancelled.value();
    sum.calls_refused += calls_refused.value();
    sum.handler_exceptions += handler_exceptions.value();
  }
};

}  // namespace trunkline::server
