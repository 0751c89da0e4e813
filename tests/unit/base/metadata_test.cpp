// SPDX-License-Identifier: MIT
// Metadata: order, repeated names, and invalid names.
#include <trunkline/metadata.h>

#include <limits>
#include <stdexcept>

namespace trunkline {
namespace {

using ::testing::ElementsAre;
using Entry = Metadata::Entry;

TEST(Metadata, IsEmptyAtFirst) {
  const Metadata metadata;

  EXPECT_TRUE(metadata.empty());
  EXPECT_EQ(metadata.size(), 0u);
  EXPECT_EQ(metadata.total_bytes(), 0u);
  EXPECT_EQ(metadata.get("name"), std::nullopt);
  EXPECT_TRUE(metadata.get_all("name").empty());
}

TEST(Metadata, KeepsOrderAndRepeatedNames) {
  Metadata metadata{{"b", "1"}, {"a", "2"}};

  metadata.add("b", "3");

  EXPECT_THAT(metadata, ElementsAre(Entry{"b", "1"}, Entry{"a", "2"}, Entry{"b", "3"}));
  EXPECT_EQ(metadata.get("b"), "1");
  EXPECT_THAT(metadata.get_all("b"), ElementsAre("1", "3"));
  EXPECT_EQ(metadata.total_bytes(), 6u);
}

TEST(Metadata, SetReplacesEveryEntryAtThePositionOfTheFirst) {
  Metadata metadata{{"a", "1"}, {"b", "2"}, {"a", "3"}, {"c", "4"}, {"a", "5"}};

  metadata.set("a", "new");

  EXPECT_THAT(metadata, ElementsAre(Entry{"a", "new"}, Entry{"b", "2"}, Entry{"c", "4"}));
}

TEST(Metadata, SetAddsAMissingName) {
  Metadata metadata{{"a", "1"}};

  metadata.set("b", "2");

  EXPECT_THAT(metadata, ElementsAre(Entry{"a", "1"}, Entry{"b", "2"}));
}

TEST(Metadata, EraseReturnsHowManyWereErased) {
  Metadata metadata{{"a", "1"}, {"b", "2"}, {"a", "3"}};

  EXPECT_EQ(metadata.erase("a"), 2u);
  EXPECT_EQ(metadata.erase("a"), 0u);
  EXPECT_THAT(metadata, ElementsAre(Entry{"b", "2"}));
}

TEST(Metadata, AcceptsViewsOfItsOwnEntries) {
  const std::string value(100, 'v');
  Metadata metadata{{"a", "x"}, {"b", value}, {"a", "y"}};

  for (int i = 0; i < 20; ++i) metadata.add(metadata.begin()->name, *metadata.get("b"));
  metadata.set(std::next(metadata.begin(), 2)->name, metadata.get_all("a").back());

  EXPECT_THAT(metadata, ElementsAre(Entry{"a", value}, Entry{"b", value}));
  EXPECT_EQ(metadata.erase(metadata.begin()->name), 1u);
}

TEST(Metadata, ClearsAndCompares) {
  Metadata metadata{{"a", "1"}, {"b", "2"}};

  EXPECT_EQ(metadata, (Metadata{{"a", "1"}, {"b", "2"}}));
  EXPECT_NE(metadata, (Metadata{{"b", "2"}, {"a", "1"}}));
  metadata.clear();
  EXPECT_EQ(metadata, Metadata());
}

TEST(Metadata, ValuesAreAnyBytes) {
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every.push_back(static_cast<char>(byte));
  Metadata metadata;

  metadata.add("any-bin", every);
  metadata.add("empty", "");

  EXPECT_EQ(metadata.get("any-bin"), every);
  EXPECT_EQ(metadata.get("empty"), "");
}

TEST(MetadataName, AllowsExactlyItsCharacters) {
  const std::string allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~";

  for (int byte = std::numeric_limits<char>::min(); byte <= std::numeric_limits<char>::max(); ++byte) {
    const auto character = static_cast<char>(byte);
    const bool is_allowed = allowed.find(character) != std::string::npos;
    EXPECT_EQ(Metadata::is_valid_name(std::string("x") + character), is_allowed) << byte;
  }
}

TEST(MetadataName, IsTheSameInUpperAndLowerCase) {
  Metadata metadata;

  metadata.add("X-Request-Id", "1");
  metadata.add("x-request-id", "2");

  EXPECT_THAT(metadata, ElementsAre(Entry{"x-request-id", "1"}, Entry{"x-request-id", "2"}));
  EXPECT_EQ(metadata.get("X-REQUEST-ID"), "1");
  EXPECT_THAT(metadata.get_all("x-Request-id"), ElementsAre("1", "2"));
  metadata.set("X-request-ID", "3");
  EXPECT_THAT(metadata, ElementsAre(Entry{"x-request-id", "3"}));
  EXPECT_EQ(metadata.erase("X-Request-Id"), 1u);
  EXPECT_TRUE(metadata.empty());
}

TEST(MetadataName, HasOneTo255Bytes) {
  EXPECT_FALSE(Metadata::is_valid_name(""));
  EXPECT_TRUE(Metadata::is_valid_name("a"));
  EXPECT_TRUE(Metadata::is_valid_name(std::string(255, 'a')));
  EXPECT_FALSE(Metadata::is_valid_name(std::string(256, 'a')));
}

std::string error_of(std::string_view name) {
  Metadata metadata;
  try {
    metadata.add(name, "value");
  } catch (const std::invalid_argument& error) {
    EXPECT_TRUE(metadata.empty());
    return error.what();
  }
  return "added";
}

TEST(MetadataName, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(error_of(""), "add metadata: name is empty");
  EXPECT_EQ(error_of(std::string(300, 'a')), "add metadata: name of 300 bytes exceeds 255");
  EXPECT_EQ(error_of("x name"), "add metadata: byte 1 of the name is not a letter, a digit or one of !#$%&'*+-.^_`|~");
  EXPECT_EQ(error_of(std::string("ab\0c", 4)),
            "add metadata: byte 2 of the name is not a letter, a digit or one of !#$%&'*+-.^_`|~");
}

TEST(MetadataName, IsCheckedByEveryFunctionThatAddsOne) {
  Metadata metadata{{"a", "1"}};

  EXPECT_THROW(metadata.set("a:", "2"), std::invalid_argument);
  EXPECT_THROW((Metadata{{"a", "1"}, {"white space", "2"}}), std::invalid_argument);
  EXPECT_THAT(metadata, ElementsAre(Entry{"a", "1"}));
}

}  // namespace
}  // namespace trunkline
