// SPDX-License-Identifier: MIT
// The tables of a call: the session's calls by id, and the channel's methods by name.
#include "client/method_table.h"
#include "micro/measurement.h"
#include "session/native/call_table.h"

#include <benchmark/benchmark.h>

#include <deque>
#include <string>

namespace trunkline {
namespace {

/// A call that is opened, found for its response, and closed, among `open` others.
void BM_CallTable(benchmark::State& state) {
  const auto open = static_cast<std::size_t>(state.range(0));
  session::native::CallTable table(base::IdHash(20));
  const auto ignore = [](base::Timer&, void*, base::TimePoint) {};
  std::deque<session::native::CallState> states;
  session::CallId next = 1;
  while (states.size() <= open) table.insert(&states.emplace_back(next++, nullptr, nullptr, ignore));
  std::size_t oldest = 0;
  bool is_found = true;

  bench::Measurement measurement(state);
  for (auto _ : state) {
    session::native::CallState& each = states[oldest];
    is_found = is_found && table.find(each.id) == &each;
    table.erase(&each);
    each.id = next++;
    table.insert(&each);
    oldest = oldest == open ? 0 : oldest + 1;
  }
  measurement.finish();

  if (!is_found || table.size() != states.size()) state.SkipWithError("a call is missing");
}
BENCHMARK(BM_CallTable)->ArgName("open")->Arg(0)->Arg(50)->Arg(500)->Arg(50000);

/// By an object of Channel::method(), by a name that was called recently, and by a name under the lock.
void BM_MethodLookup(benchmark::State& state, const client::MethodEntry* (*find)(client::MethodTable&, const Method&),
                     bool is_handle) {
  client::MethodTable table;
  const Method handle = table.handle("example.Echo/Say");
  const Method name("example.Echo/Say");
  const Method& method = is_handle ? handle : name;
  if (find(table, method) == nullptr) return state.SkipWithError("the method is not found");

  bench::Measurement measurement(state);
  for (auto _ : state) benchmark::DoNotOptimize(find(table, method));
  measurement.finish();
}

const client::MethodEntry* find_on_loop(client::MethodTable& table, const Method& method) {
  return table.find_on_loop(method);
}
const client::MethodEntry* find_anywhere(client::MethodTable& table, const Method& method) {
  return table.find(method);
}
BENCHMARK_CAPTURE(BM_MethodLookup, handle, &find_on_loop, true);
BENCHMARK_CAPTURE(BM_MethodLookup, recent_name, &find_on_loop, false);
BENCHMARK_CAPTURE(BM_MethodLookup, locked_name, &find_anywhere, false);

}  // namespace
}  // namespace trunkline
