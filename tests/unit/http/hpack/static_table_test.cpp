// SPDX-License-Identifier: MIT
// The static table, and NameIds.
#include "http/hpack/static_table.h"
#include "http/hpack/name_ids.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::http::hpack {
namespace {

TEST(StaticTable, HasTheEntriesOfTheSpecification) {
  EXPECT_EQ(static_table[1].name, ":authority");
  EXPECT_EQ(static_table[2].value, "GET");
  EXPECT_EQ(static_table[16].value, "gzip, deflate");
  EXPECT_EQ(static_table[61].name, "www-authenticate");
}

TEST(StaticTable, FindsTheFirstEntryOfEachName) {
  for (std::uint32_t index = 1; index <= static_table_size; ++index) {
    std::uint32_t first = 1;
    while (static_table[first].name != static_table[index].name) ++first;

    EXPECT_EQ(find_static_name(static_table[index].name), first);
  }
}

TEST(StaticTable, FindsNoOtherName) {
  EXPECT_EQ(find_static_name(""), 0U);
  EXPECT_EQ(find_static_name(":pathx"), 0U);
  for (std::uint32_t index = 1; index <= static_table_size; ++index) {
    EXPECT_EQ(find_static_name(std::string(static_table[index].name) + "s"), 0U);
  }
}

std::uint8_t length_of_value(std::string_view, std::string_view value) noexcept {
  return static_cast<std::uint8_t>(value.size());
}

TEST(NameIds, NumbersTheNamesInTheirOrder) {
  const NameIds ids({":path", "x-colour", "te"});

  EXPECT_EQ(ids.find(":path"), 1);
  EXPECT_EQ(ids.find("x-colour"), 2);
  EXPECT_EQ(ids.find("te"), 3);
  EXPECT_EQ(ids.find("x-color"), 0);
  EXPECT_EQ(ids.find(""), 0);
}

TEST(NameIds, KnowsTheStaticTable) {
  const NameIds ids({":path", ":method"}, length_of_value);

  EXPECT_EQ(ids.static_id(4), 1);
  EXPECT_EQ(ids.static_id(5), 1);
  EXPECT_EQ(ids.static_id(2), 2);
  EXPECT_EQ(ids.static_id(1), 0);
  EXPECT_EQ(ids.static_kind(5), 11);
  EXPECT_EQ(ids.classify("a", "bc"), 2);
}

TEST(NameIds, HoldsManyNames) {
  const NameIds ids({"aa", "ab", "ac", "ad", "ba", "bb", "bc", "bd", "ca", "cb", "cc", "cd"});

  EXPECT_EQ(ids.find("aa"), 1);
  EXPECT_EQ(ids.find("bd"), 8);
  EXPECT_EQ(ids.find("cd"), 12);
}

}  // namespace
}  // namespace trunkline::http::hpack
