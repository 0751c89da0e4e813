// SPDX-License-Identifier: MIT
// Names that may be any text, as names that descriptors may have.
#include "service/descriptor_names.h"

#include <gtest/gtest.h>

namespace trunkline::service {

namespace {

TEST(DescriptorNames, KnowIdentifiers) {
  for (const char* good : {"a", "_", "Sum2", "aB_c"}) EXPECT_TRUE(is_identifier(good)) << good;
  for (const char* bad : {"", "2a", "a.b", "a-b", "ä", "a b"}) EXPECT_FALSE(is_identifier(bad)) << bad;
}

TEST(DescriptorNames, KnowFullNames) {
  for (const char* good : {"a", "a.b", "acme.v1.Orders"}) EXPECT_TRUE(is_full_name(good)) << good;
  for (const char* bad : {"", ".", "a.", ".a", "a..b", "a/b", "a.1b"}) EXPECT_FALSE(is_full_name(bad)) << bad;
}

TEST(DescriptorNames, MakeIdentifiers) {
  EXPECT_EQ(identifier_of("add"), "add");
  EXPECT_EQ(identifier_of("add-two"), "add_two");
  EXPECT_EQ(identifier_of("2nd"), "_2nd");
  EXPECT_EQ(identifier_of(""), "_");
  EXPECT_EQ(identifier_of("ä"), "__");
}

TEST(DescriptorNames, NameMapEntriesAsProtobufDoes) {
  EXPECT_EQ(map_entry_name("counts"), "CountsEntry");
  EXPECT_EQ(map_entry_name("counts_by_name"), "CountsByNameEntry");
  EXPECT_EQ(map_entry_name("_x2y"), "X2yEntry");
}

TEST(DescriptorNames, HaveACoreByWhichProtobufComparesThem) {
  EXPECT_EQ(core_of("CountsByName"), "countsbyname");
  EXPECT_EQ(core_of("_counts_by_NAME2"), "countsbyname2");
}

TEST(DescriptorNames, SplitPaths) {
  const auto expect = [](std::string_view path, std::string_view service, std::string_view method) {
    EXPECT_EQ(split_path(path).service, service) << path;
    EXPECT_EQ(split_path(path).method, method) << path;
  };

  expect("acme.Orders/Place", "acme.Orders", "Place");
  expect("Orders/Place", "Orders", "Place");
  expect("Orders.place", "Orders", "place");
  expect("acme.Orders.place", "acme.Orders", "place");
  expect("Orders/place-it", "Orders", "place-it");
  expect("echo", "", "echo");
  expect("/acme.Orders/Place", "", "/acme.Orders/Place");
  expect("my orders/Place", "", "my orders/Place");
  expect("Orders/", "", "Orders/");
  expect("/Place", "", "/Place");
}

TEST(DescriptorNames, SplitFullNames) {
  EXPECT_EQ(package_of("a.b.C"), "a.b");
  EXPECT_EQ(package_of("C"), "");
  EXPECT_EQ(last_part_of("a.b.C"), "C");
  EXPECT_EQ(last_part_of("C"), "C");
}

}  // namespace

}  // namespace trunkline::service
