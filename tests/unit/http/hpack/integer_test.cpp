// SPDX-License-Identifier: MIT
// Prefix integers: the examples of RFC 7541, appendix C.1, sizes, limits, truncation.
#include "http/hpack/integer.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace trunkline::http::hpack {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<unsigned> values) {
  std::vector<std::byte> bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

std::vector<std::byte> written(std::uint32_t value, unsigned prefix_bits, std::uint8_t pattern = 0) {
  std::vector<std::byte> bytes(max_integer_bytes);
  std::byte* end = write_integer(value, prefix_bits, pattern, bytes.data());
  bytes.resize(static_cast<std::size_t>(end - bytes.data()));
  return bytes;
}

struct Read {
  IntegerResult result;
  std::uint32_t value = 0;
  std::size_t taken = 0;
};

Read read(const std::vector<std::byte>& bytes, unsigned prefix_bits) {
  const std::byte* at = bytes.data();
  Read out{};
  out.result = read_integer(at, bytes.data() + bytes.size(), prefix_bits, out.value);
  out.taken = static_cast<std::size_t>(at - bytes.data());
  return out;
}

TEST(HpackInteger, WritesTheExamplesOfTheSpecification) {
  EXPECT_EQ(written(10, 5), bytes_of({0x0A}));                // C.1.1
  EXPECT_EQ(written(1337, 5), bytes_of({0x1F, 0x9A, 0x0A}));  // C.1.2
  EXPECT_EQ(written(42, 8), bytes_of({0x2A}));                // C.1.3
}

TEST(HpackInteger, ReadsTheExamplesOfTheSpecification) {
  EXPECT_EQ(read(bytes_of({0xEA}), 5).value, 10U);
  EXPECT_EQ(read(bytes_of({0x1F, 0x9A, 0x0A}), 5).value, 1337U);
  EXPECT_EQ(read(bytes_of({0x2A}), 8).value, 42U);
}

TEST(HpackInteger, KeepsTheBitsAboveThePrefix) {
  EXPECT_EQ(written(5, 4, 0x10), bytes_of({0x15}));
  EXPECT_EQ(written(15, 4, 0x10), bytes_of({0x1F, 0x00}));
}

TEST(HpackInteger, ReadsBackEveryEdgeOfItsSizes) {
  for (unsigned prefix_bits = 1; prefix_bits <= 8; ++prefix_bits) {
    const std::uint32_t limit = (1U << prefix_bits) - 1;
    for (const std::uint32_t value :
         {0U, limit - 1, limit, limit + 1, limit + 127, limit + 128, limit + 16383, limit + 16384, limit + 2097151,
          limit + 2097152, limit + 268435455, limit + 268435456, 0xFFFFFFFE, 0xFFFFFFFF}) {
      const std::vector<std::byte> encoded = written(value, prefix_bits);

      const Read decoded = read(encoded, prefix_bits);

      EXPECT_EQ(decoded.result, IntegerResult::complete);
      EXPECT_EQ(decoded.value, value);
      EXPECT_EQ(decoded.taken, encoded.size());
    }
  }
}

TEST(HpackInteger, DetectsEveryTruncation) {
  const std::vector<std::byte> encoded = written(0xFFFFFFFF, 5);
  ASSERT_EQ(encoded.size(), max_integer_bytes);
  for (std::size_t size = 1; size < encoded.size(); ++size) {
    EXPECT_EQ(read({encoded.begin(), encoded.begin() + static_cast<std::ptrdiff_t>(size)}, 5).result,
              IntegerResult::truncated);
  }
}

TEST(HpackInteger, RefusesMoreThan32Bits) {
  EXPECT_EQ(read(bytes_of({0x1F, 0xE0, 0xFF, 0xFF, 0xFF, 0x0F}), 5).value, 0xFFFFFFFF);
  EXPECT_EQ(read(bytes_of({0x1F, 0xE1, 0xFF, 0xFF, 0xFF, 0x0F}), 5).result, IntegerResult::overflow);
  EXPECT_EQ(read(bytes_of({0x1F, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}), 5).result, IntegerResult::overflow);
}

TEST(HpackInteger, RefusesMoreThanFiveContinuationBytes) {
  EXPECT_EQ(read(bytes_of({0x1F, 0x80, 0x80, 0x80, 0x80, 0x00}), 5).value, 31U);
  EXPECT_EQ(read(bytes_of({0x1F, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}), 5).result, IntegerResult::overflow);
}

}  // namespace
}  // namespace trunkline::http::hpack
