// SPDX-License-Identifier: MIT
// Content with a length, with chunks, and without either.
#include "http/http1/content_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::http::http1 {
namespace {

using Outcome = ContentReader::Outcome;

TEST(ContentReader, TakesNothingWhereThereIsNoContent) {
  ContentReader reader({});
  std::size_t consumed = 1;

  reader.begin(false, 0);

  EXPECT_TRUE(reader.is_over());
  EXPECT_EQ(reader.read("next", consumed), Outcome::end);
  EXPECT_EQ(consumed, 0U);
}

TEST(ContentReader, TakesTheLengthAndNoMore) {
  ContentReader reader({});
  std::size_t consumed = 0;

  reader.begin(false, 5);

  EXPECT_EQ(reader.read("", consumed), Outcome::needs_input);
  EXPECT_EQ(reader.read("hel", consumed), Outcome::data);
  EXPECT_EQ(reader.data(), "hel");
  EXPECT_EQ(reader.left(), 2U);
  EXPECT_FALSE(reader.is_over());
  EXPECT_EQ(reader.read("lonext", consumed), Outcome::data);
  EXPECT_EQ(reader.data(), "lo");
  EXPECT_EQ(consumed, 2U);
  EXPECT_TRUE(reader.is_over());
  EXPECT_EQ(reader.read("next", consumed), Outcome::end);
}

TEST(ContentReader, TakesChunksAndTheirEnd) {
  ContentReader reader({});
  std::size_t consumed = 0;

  reader.begin(true, 0);

  EXPECT_EQ(reader.read("3\r\nabc\r\n0\r\n\r\nnext", consumed), Outcome::data);
  EXPECT_EQ(reader.data(), "abc");
  EXPECT_FALSE(reader.is_over());
  EXPECT_EQ(reader.read("\r\n0\r\n\r\nnext", consumed), Outcome::end);
  EXPECT_EQ(consumed, 7U);
  EXPECT_TRUE(reader.is_over());
}

TEST(ContentReader, BeginsAnewAfterBadChunks) {
  ContentReader reader({});
  std::size_t consumed = 0;
  reader.begin(true, 0);
  EXPECT_EQ(reader.read("x\r\n", consumed), Outcome::refused);
  EXPECT_EQ(reader.error(), MessageError::bad_chunk_size);

  reader.begin(true, 0);

  EXPECT_EQ(reader.read("0\r\n\r\n", consumed), Outcome::end);
}

}  // namespace
}  // namespace trunkline::http::http1
