// SPDX-License-Identifier: MIT
// The parts of base that every call uses: the timer wheel, histograms, buffers, metadata.
#include "base/histogram.h"
#include "base/timer_wheel.h"
#include "micro/measurement.h"

#include <trunkline/metadata.h>
#include <trunkline/slice.h>

#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace trunkline::base {
namespace {

constexpr std::size_t batch = 64;

/// A deadline that is set and cancelled, like nearly all deadlines, while `pending` others wait.
void BM_TimerScheduleCancel(benchmark::State& state) {
  const TimePoint start{std::chrono::hours(1)};
  const auto ignore = [](Timer&, void*, TimePoint) {};
  TimerWheel wheel(start);
  std::vector<std::unique_ptr<Timer>> waiting;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    waiting.push_back(std::make_unique<Timer>(ignore, nullptr));
    wheel.schedule(*waiting.back(), start + std::chrono::milliseconds(1000 + i));
  }
  Timer timer(ignore, nullptr);

  bench::Measurement measurement(state);
  for (auto _ : state) {
    for (std::size_t i = 0; i < batch; ++i) {
      wheel.schedule(timer, start + std::chrono::milliseconds(500 + i));
      timer.cancel();
    }
  }
  measurement.finish(batch);

  if (wheel.size() != waiting.size()) state.SkipWithError("a timer is missing");
}
BENCHMARK(BM_TimerScheduleCancel)->ArgName("pending")->Arg(0)->Arg(1000)->Arg(100000);

/// Timers that fire, a millisecond apart.
void BM_TimerFire(benchmark::State& state) {
  TimePoint now{std::chrono::hours(1)};
  TimerWheel wheel(now);
  std::size_t fired = 0;
  std::vector<std::unique_ptr<Timer>> timers;
  for (std::size_t i = 0; i < batch; ++i) {
    timers.push_back(
        std::make_unique<Timer>([](Timer&, void* count, TimePoint) { ++*static_cast<std::size_t*>(count); }, &fired));
  }

  bench::Measurement measurement(state);
  for (auto _ : state) {
    for (std::size_t i = 0; i < batch; ++i) wheel.schedule(*timers[i], now + std::chrono::milliseconds(1 + i));
    now += std::chrono::milliseconds(batch + 1);
    wheel.advance(now);
  }
  measurement.finish(batch);

  if (fired != batch * static_cast<std::size_t>(state.iterations())) state.SkipWithError("not every timer has fired");
}
BENCHMARK(BM_TimerFire);

void BM_HistogramRecord(benchmark::State& state) {
  auto histogram = std::make_unique<Histogram>();

  bench::Measurement measurement(state);
  for (auto _ : state) {
    for (std::uint64_t i = 0; i < batch; ++i) histogram->record(1000 + i * 977);
  }
  measurement.finish(batch);

  if (histogram->count() != batch * static_cast<std::uint64_t>(state.iterations()))
    state.SkipWithError("a value is missing");
}
BENCHMARK(BM_HistogramRecord);

void BM_HistogramQuantile(benchmark::State& state) {
  auto histogram = std::make_unique<Histogram>();
  for (std::uint64_t i = 1; i <= 100000; ++i) histogram->record(i * 100);

  bench::Measurement measurement(state);
  for (auto _ : state) benchmark::DoNotOptimize(histogram->quantile(0.99));
  measurement.finish();
}
BENCHMARK(BM_HistogramQuantile);

/// Bytes are appended piece by piece and taken as a slice, whose block is recycled when it is dropped.
void BM_BufferAppend(benchmark::State& state) {
  const std::string piece(static_cast<std::size_t>(state.range(0)), 'x');

  bench::Measurement measurement(state);
  for (auto _ : state) {
    BufferWriter out(4096);
    for (std::size_t i = 0; i < batch; ++i) out.append(piece);
    const Slice slice = out.take();
    benchmark::DoNotOptimize(slice.data());
  }
  measurement.finish(batch, batch * piece.size());
}
BENCHMARK(BM_BufferAppend)->ArgName("bytes")->Arg(8)->Arg(1024);

/// Finds the last of `entries` entries.
void BM_MetadataFind(benchmark::State& state) {
  Metadata metadata;
  for (std::int64_t i = 0; i < state.range(0); ++i) metadata.add("x-entry-" + std::to_string(i), "value");
  const std::string wanted = "x-entry-" + std::to_string(state.range(0) - 1);
  if (!metadata.get(wanted)) return state.SkipWithError("the entry is not found");

  bench::Measurement measurement(state);
  for (auto _ : state) benchmark::DoNotOptimize(metadata.get(wanted));
  measurement.finish();
}
BENCHMARK(BM_MetadataFind)->ArgName("entries")->Arg(1)->Arg(8)->Arg(64);

}  // namespace
}  // namespace trunkline::base
