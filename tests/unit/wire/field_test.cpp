// SPDX-License-Identifier: MIT
// FieldReader and FieldWriter.
#include "wire/field.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trunkline::wire {
namespace {

using namespace std::string_literals;

std::string text_of(const BufferWriter& writer) { return std::string(as_text(writer.bytes())); }

TEST(FieldWriter, WritesTagSizeValue) {
  BufferWriter out;
  FieldWriter writer(out);

  writer.text(0x09, "json");
  writer.bytes(0x80, {});

  EXPECT_EQ(text_of(out), "\x09\x04json\x80\x00"s);
}

TEST(FieldWriter, WritesIntegersInTheShortestForm) {
  for (std::size_t size = 1; size <= 8; ++size) {
    const std::uint64_t greatest = size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * size)) - 1;
    for (std::uint64_t value : {greatest, greatest / 256 + 1}) {
      BufferWriter out;
      FieldWriter writer(out);

      writer.integer(0x02, value);

      std::uint64_t back = 0;
      EXPECT_EQ(out.size(), 2 + size) << value;
      EXPECT_TRUE(read_integer(out.bytes().subspan(2), back));
      EXPECT_EQ(back, value);
    }
  }
}

TEST(FieldWriter, WritesZeroAsOneByte) {
  BufferWriter out;

  FieldWriter(out).integer(0x02, 0);

  EXPECT_EQ(text_of(out), "\x02\x01\x00"s);
}

TEST(ReadInteger, TakesOneToEightBytes) {
  const std::vector<std::byte> bytes(9, std::byte{1});
  for (std::size_t size = 0; size <= 9; ++size) {
    std::uint64_t value = 0;

    EXPECT_EQ(read_integer(ByteSpan(bytes).first(size), value), size >= 1 && size <= 8) << size;
  }
}

TEST(FieldReader, ReadsFieldsWhoseSizeHasAnyLength) {
  BufferWriter out;
  FieldWriter writer(out);
  const std::vector<std::size_t> sizes{0, 1, 127, 128, 16383, 16384, 2097152};
  for (std::size_t i = 0; i < sizes.size(); ++i) writer.text(static_cast<std::uint8_t>(i), std::string(sizes[i], 'v'));

  FieldReader reader(out.bytes());
  Field field;
  std::vector<std::size_t> seen;
  while (reader.next(field)) {
    EXPECT_EQ(field.tag, seen.size());
    seen.push_back(field.value.size());
  }

  EXPECT_EQ(seen, sizes);
  EXPECT_FALSE(reader.malformed());
}

TEST(FieldReader, EndsAtOnceOnEmptyInput) {
  FieldReader reader({});
  Field field;

  EXPECT_FALSE(reader.next(field));
  EXPECT_FALSE(reader.malformed());
}

TEST(FieldReader, IsMalformedCutAnywhereWithinAField) {
  BufferWriter out;
  FieldWriter writer(out);
  writer.text(1, "one");
  const std::size_t whole = out.size();
  writer.text(2, std::string(200, '2'));

  for (std::size_t size = 0; size <= out.size(); ++size) {
    FieldReader reader(out.bytes().first(size));
    Field field;
    std::size_t count = 0;
    while (reader.next(field)) ++count;

    const bool at_edge = size == 0 || size == whole || size == out.size();
    EXPECT_EQ(reader.malformed(), !at_edge) << size;
    EXPECT_EQ(count, size == out.size() ? 2U : size >= whole ? 1U : 0U) << size;
    EXPECT_FALSE(reader.next(field));
  }
}

TEST(FieldReader, RefusesASizeOfFiveBytes) {
  const std::string bytes = "\x01\x80\x80\x80\x80\x00"s;
  FieldReader reader(as_bytes(bytes));
  Field field;

  EXPECT_FALSE(reader.next(field));
  EXPECT_TRUE(reader.malformed());
}

TEST(Field, IsSkippableFromTag80) {
  EXPECT_FALSE((Field{0x7F, {}}).is_skippable());
  EXPECT_TRUE((Field{0x80, {}}).is_skippable());
}

}  // namespace
}  // namespace trunkline::wire
