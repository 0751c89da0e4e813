// SPDX-License-Identifier: MIT
// The call table against std::map, with ids that rise, jump and wrap.
#include "session/native/call_table.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <random>

namespace trunkline::session::native {
namespace {

std::unique_ptr<CallState> state(CallId id) {
  return std::make_unique<CallState>(id, nullptr, nullptr, [](base::Timer&, void*, base::TimePoint) {});
}

std::uint64_t seed() {
  const char* given = std::getenv("TRUNKLINE_SEED");
  const std::uint64_t value = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  std::printf("TRUNKLINE_SEED=%llu\n", static_cast<unsigned long long>(value));
  return value;
}

TEST(CallTable, FindsNothingWhenEmpty) {
  const CallTable table;

  EXPECT_EQ(table.find(1), nullptr);
  EXPECT_TRUE(table.empty());
}

TEST(CallTable, BehavesAsAMap) {
  std::mt19937_64 random(seed());
  for (const std::uint32_t step : {1u, 2u, 16u, 1u << 20}) {
    CallTable table;
    std::map<CallId, std::unique_ptr<CallState>> model;
    CallId next = 0xFFFFFF00u;

    for (int i = 0; i < 20000; ++i) {
      if (model.size() < 300 && random() % 2 == 0) {
        next += 1 + static_cast<CallId>(random() % step);
        if (model.contains(next)) continue;
        auto made = state(next);
        table.insert(made.get());
        model[next] = std::move(made);
      } else if (!model.empty()) {
        auto victim = model.lower_bound(static_cast<CallId>(random()));
        if (victim == model.end()) victim = model.begin();
        table.erase(victim->second.get());
        model.erase(victim);
      }
      ASSERT_EQ(table.size(), model.size());
      const CallId probe = next - static_cast<CallId>(random() % 500);
      const auto found = model.find(probe);
      ASSERT_EQ(table.find(probe), found == model.end() ? nullptr : found->second.get());
    }

    for (const auto& [id, call] : model) EXPECT_EQ(table.find(id), call.get());
    std::size_t visited = 0;
    table.for_each([&](CallState& call) { visited += model.at(call.id).get() == &call ? 1u : 0u; });
    EXPECT_EQ(visited, model.size());
    for (CallState* call : table.by_age(next, [](const CallState&) { return true; })) {
      table.erase(call);
      ASSERT_EQ(model.erase(call->id), 1u);
    }
    EXPECT_TRUE(table.empty());
  }
}

TEST(CallTable, HasItsOwnSeed) {
  std::vector<std::unique_ptr<CallState>> states;
  CallTable first, second;
  for (CallId id = 1; id <= 1000; ++id) {
    states.push_back(std::make_unique<CallState>(id, nullptr, nullptr, [](base::Timer&, void*, base::TimePoint) {}));
    first.insert(states.back().get());
    second.insert(states.back().get());
  }
  std::vector<CallId> in_first, in_second;

  first.for_each([&](CallState& call) { in_first.push_back(call.id); });
  second.for_each([&](CallState& call) { in_second.push_back(call.id); });

  EXPECT_NE(in_first, in_second);
}

TEST(CallTable, ListsTheOldestFirst) {
  std::vector<std::unique_ptr<CallState>> states;
  CallTable table;
  for (const CallId id : {5u, 0xFFFFFFF0u, 2u, 0xFFFFFFFEu, 9u}) {
    states.push_back(std::make_unique<CallState>(id, nullptr, nullptr, [](base::Timer&, void*, base::TimePoint) {}));
    table.insert(states.back().get());
  }
  std::vector<CallId> ids;

  for (const CallState* call : table.by_age(9, [](const CallState& wanted) { return wanted.id != 5; }))
    ids.push_back(call->id);

  EXPECT_EQ(ids, (std::vector<CallId>{0xFFFFFFF0u, 0xFFFFFFFEu, 2u, 9u}));
}

}  // namespace
}  // namespace trunkline::session::native
