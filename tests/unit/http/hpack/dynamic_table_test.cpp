// SPDX-License-Identifier: MIT
// The dynamic table: sizes, eviction, memos, and random use against a model.
#include "http/hpack/dynamic_table.h"
#include "unit/http/hpack/field_list.h"
#include "unit/http/seed.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>

namespace trunkline::http::hpack {
namespace {

TEST(DynamicTable, CountsNameValueAnd32) {
  DynamicTable table(4096);

  table.insert("custom-key", "custom-header", 0, 0);

  EXPECT_EQ(table.bytes(), 55U);
  EXPECT_EQ(table.size(), 1U);
}

TEST(DynamicTable, EvictsTheOldestEntries) {
  DynamicTable table(3 * 34);
  for (const char* name : {"a", "b", "c", "d"}) table.insert(name, "1", 0, 0);

  EXPECT_EQ(fields_of(table), (FieldList{{"d", "1"}, {"c", "1"}, {"b", "1"}}));
  EXPECT_EQ(table.bytes(), 3U * 34);
}

TEST(DynamicTable, IsEmptiedByAnEntryThatIsTooLarge) {
  DynamicTable table(64);
  table.insert("a", "1", 0, 0);

  EXPECT_EQ(table.insert("b", std::string(32, 'x'), 0, 0), nullptr);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.bytes(), 0U);
  EXPECT_NE(table.insert("b", std::string(31, 'x'), 0, 0), nullptr);
}

TEST(DynamicTable, ShrinksToAnySizeAndGrowsAgain) {
  DynamicTable table(200);
  for (const char* name : {"a", "b", "c", "d"}) table.insert(name, "1", 0, 0);

  table.set_max_bytes(70);
  EXPECT_EQ(fields_of(table), (FieldList{{"d", "1"}, {"c", "1"}}));
  table.set_max_bytes(0);
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.insert("", "", 0, 0), nullptr);
  table.set_max_bytes(32);
  EXPECT_NE(table.insert("", "", 0, 0), nullptr);
  EXPECT_EQ(table.size(), 1U);
}

TEST(DynamicTable, KeepsMemosUntilTheirEntriesAreEvicted) {
  DynamicTable table(2 * 34);
  table.insert("a", "1", 3, 4)->memo = 7;
  table.insert("b", "1", 0, 0);
  EXPECT_EQ(table[1].memo, 7U);
  EXPECT_EQ(table[1].name_id, 3);
  EXPECT_EQ(table[1].kind, 4);

  // The place of the evicted entry is used again.
  for (int round = 0; round < 16; ++round) {
    table.insert("c", "1", 0, 0);

    EXPECT_EQ(table[0].memo, 0U);
    table[0].memo = 9;
  }
}

TEST(DynamicTable, TakesTheNameOfAnEntryThatIsEvictedForIt) {
  DynamicTable table(80);
  table.insert("name-of-an-entry", "1", 0, 0);
  for (int round = 0; round < 100; ++round) {
    const std::string value(static_cast<std::size_t>(round % 33), 'v');

    table.insert(table.name(table[0]), value, 0, 0);

    ASSERT_EQ(fields_of(table), (FieldList{{"name-of-an-entry", value}}));
  }
}

/// The same rules, without a ring or a buffer.
struct TableModel {
  std::deque<TextField> fields;
  std::size_t max_bytes;

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const TextField& field : fields) sum += field.name.size() + field.value.size() + 32;
    return sum;
  }
  void evict_beyond(std::size_t limit) {
    while (bytes() > limit) fields.pop_back();
  }
  void insert(const std::string& name, const std::string& value) {
    const std::size_t size = name.size() + value.size() + 32;
    if (size > max_bytes) return fields.clear();
    evict_beyond(max_bytes - size);
    fields.push_front({name, value});
  }
};

TEST(DynamicTable, IsLikeTheModelInRandomUse) {
  RandomFields random(seed_of_run());
  DynamicTable table(500);
  TableModel model{{}, 500};
  for (int round = 0; round < 20000; ++round) {
    if (random.below(50) == 0) {
      model.max_bytes = random.below(4) == 0 ? 0 : random.below(1500);
      model.evict_beyond(model.max_bytes);
      table.set_max_bytes(static_cast<std::uint32_t>(model.max_bytes));
    } else if (table.size() > 0 && random.below(3) == 0) {
      const auto index = static_cast<std::uint32_t>(random.below(table.size()));
      const std::string value = random.value();
      const std::string name = model.fields[index].name;
      table.insert(table.name(table[index]), value, 0, 0);
      model.insert(name, value);
    } else {
      const std::string name = random.name();
      const std::string value = random.value();
      table.insert(name, value, 0, 0);
      model.insert(name, value);
    }

    ASSERT_EQ(table.bytes(), model.bytes());
    ASSERT_EQ(fields_of(table), FieldList(model.fields.begin(), model.fields.end()));
  }
}

}  // namespace
}  // namespace trunkline::http::hpack
