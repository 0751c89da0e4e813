// SPDX-License-Identifier: MIT
// The same calls over each transport, both sides on one loop: what sockets and TLS add to inproc://. And a task given
// to the loop.
#include "micro/echo_rounds.h"

#include <trunkline/event_loop.h>

#include <benchmark/benchmark.h>

#include <unistd.h>
#include <string>

namespace trunkline {
namespace {

void BM_TransportCall(benchmark::State& state, const std::string& endpoint) {
  const auto batch = static_cast<std::size_t>(state.range(0));
  const auto bytes = static_cast<std::size_t>(state.range(1));
  bench::EchoPair<bench::TextEcho> pair(endpoint, batch, bytes);
  bench::measure_rounds(state, pair, batch, bytes);
}

#define TRUNKLINE_BENCHMARK_TRANSPORT(name, endpoint)   \
  BENCHMARK_CAPTURE(BM_TransportCall, name, (endpoint)) \
      ->ArgsProduct({{1, 50, 500}, {8, 65536}})         \
      ->ArgNames({"batch", "bytes"})

TRUNKLINE_BENCHMARK_TRANSPORT(inproc, "inproc://bench-net");
TRUNKLINE_BENCHMARK_TRANSPORT(local, "unix:///tmp/trunkline-bench-net-" + std::to_string(getpid()));
TRUNKLINE_BENCHMARK_TRANSPORT(tcp, "tcp://127.0.0.1:0");

/// Tasks posted from the loop's own thread, run in the next turn.
void BM_LoopPost(benchmark::State& state) {
  constexpr std::size_t batch = 64;
  EventLoop loop;
  std::size_t run = 0;

  bench::Measurement measurement(state);
  for (auto _ : state) {
    for (std::size_t i = 0; i < batch; ++i) loop.post([&run] { ++run; });
    while (loop.poll()) {
    }
  }
  measurement.finish(batch);

  if (run != batch * static_cast<std::size_t>(state.iterations())) state.SkipWithError("a task is missing");
}
BENCHMARK(BM_LoopPost);

}  // namespace
}  // namespace trunkline
