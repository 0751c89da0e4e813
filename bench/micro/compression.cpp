// SPDX-License-Identifier: MIT
// How long each compressor takes, and how much it saves, by the size and kind of the content.
#include "micro/measurement.h"

#include <trunkline/compressor.h>

#include <benchmark/benchmark.h>

#include <iterator>
#include <random>
#include <string>

namespace trunkline {
namespace {

constexpr std::int64_t smallest = 64;
constexpr std::int64_t largest = 1 << 20;
constexpr unsigned content_seed = 20;

/// Words drawn at random, so that a large content has no more in it to save than a small one.
std::string prose(std::size_t size) {
  std::mt19937_64 engine(content_seed);
  std::string vocabulary[256];
  for (std::string& word : vocabulary) {
    for (std::uint64_t left = 2 + engine() % 8; left > 0; --left) word += static_cast<char>('a' + engine() % 26);
  }
  std::string content;
  while (content.size() < size) content.append(vocabulary[engine() % std::size(vocabulary)]).append(" ");
  content.resize(size);
  return content;
}

std::string noise(std::size_t size) {
  std::mt19937_64 engine(content_seed);
  std::string content(size, '\0');
  for (char& c : content) c = static_cast<char>(engine());
  return content;
}

/// The compressed content; ends the benchmark with an error unless it decompresses to the same.
Slice verified(benchmark::State& state, const Compressor& compressor, const std::string& content) {
  BufferWriter out;
  std::string back(content.size(), '\0');
  Status status = compressor.compress(as_bytes(content), out);
  const Slice compressed = out.take();
  if (status.is_ok()) {
    status = compressor.decompress(compressed.bytes(), {reinterpret_cast<std::byte*>(back.data()), back.size()});
  }
  if (!status.is_ok()) {
    state.SkipWithError(status.to_string().c_str());
  } else if (back != content) {
    state.SkipWithError("the decompressed content differs");
  }
  state.counters["ratio"] = static_cast<double>(content.size()) / static_cast<double>(compressed.size());
  return compressed;
}

void compress(benchmark::State& state, const Compressor& compressor, std::string (*make)(std::size_t)) {
  const std::string content = make(static_cast<std::size_t>(state.range(0)));
  verified(state, compressor, content);
  BufferWriter out;
  bench::Measurement measurement(state);
  for (auto _ : state) {
    out.clear();
    benchmark::DoNotOptimize(compressor.compress(as_bytes(content), out));
    benchmark::ClobberMemory();
  }
  measurement.finish(1, content.size());
}

void decompress(benchmark::State& state, const Compressor& compressor, std::string (*make)(std::size_t)) {
  const std::string content = make(static_cast<std::size_t>(state.range(0)));
  const Slice compressed = verified(state, compressor, content);
  std::string back(content.size(), '\0');
  bench::Measurement measurement(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        compressor.decompress(compressed.bytes(), {reinterpret_cast<std::byte*>(back.data()), back.size()}));
    benchmark::ClobberMemory();
  }
  measurement.finish(1, content.size());
}

/// The compressors are those that are built in, so the benchmarks are registered at run time.
const bool registered = [] {
  static const CompressorRegistry registry = CompressorRegistry::with_defaults();
  for (const auto& each : registry.compressors()) {
    const Compressor* compressor = each.get();
    for (const auto& [kind, make] : {std::pair("prose", &prose), std::pair("noise", &noise)}) {
      const std::string suffix = "<" + std::string(compressor->name()) + ">/" + kind;
      const auto add = [&, compressor, content = make](const std::string& name, auto run) {
        const auto bound = [=](benchmark::State& state) { run(state, *compressor, content); };
        benchmark::RegisterBenchmark((name + suffix).c_str(), bound)
            ->ArgName("bytes")
            ->RangeMultiplier(8)
            ->Range(smallest, largest);
      };
      add("BM_Compress", &compress);
      add("BM_Decompress", &decompress);
    }
  }
  return true;
}();

}  // namespace
}  // namespace trunkline
