// SPDX-License-Identifier: MIT
// measure_rounds: batches of calls of an EchoPair, in the steady state.
#pragma once

#include "micro/echo_pair.h"
#include "micro/measurement.h"

namespace trunkline::bench {

/// The counters are for one call, client, server and link together.
template <class Echo>
void measure_rounds(benchmark::State& state, EchoPair<Echo>& pair, std::size_t batch, std::size_t bytes) {
  pair.run([&] {
    for (int i = 0; i < 100; ++i) {
      if (!pair.round()) return state.SkipWithError("a wrong response");
    }
    Measurement measurement(state);
    for (auto _ : state) {
      if (!pair.round()) return state.SkipWithError("a wrong response");
    }
    measurement.finish(batch, batch * bytes * 2);
  });
}

}  // namespace trunkline::bench
