// SPDX-License-Identifier: MIT
// The encoder: representations, policies, sizes of tables, revisions, and random round trips.
#include "http/hpack/encoder.h"
#include "unit/http/hex.h"
#include "unit/http/hpack/field_list.h"
#include "unit/http/seed.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::http::hpack {
namespace {

const NameIds no_names({});

std::string encoded(Encoder& encoder, const FieldList& fields, Indexing indexing = Indexing::index) {
  return to_hex(encode_block(encoder, fields, indexing));
}

TEST(HpackEncoder, UsesTheTablesForWhatTheyHave) {
  Encoder encoder;

  EXPECT_EQ(encoded(encoder, {{":method", "GET"}, {":status", "500"}, {"a", "b"}}), "828e4001610162");
  EXPECT_EQ(encoded(encoder, {{"a", "b"}}), "be");
  EXPECT_EQ(encoded(encoder, {{"a", "b"}}, Indexing::without), "be");
  EXPECT_EQ(encoded(encoder, {{"a", "c"}}), "7e0163");
}

TEST(HpackEncoder, DoesNotIndexWhatItIsToldNotTo) {
  Encoder encoder;

  EXPECT_EQ(encoded(encoder, {{":path", "a"}}, Indexing::without), "040161");
  EXPECT_EQ(encoder.table().size(), 0U);
}

TEST(HpackEncoder, NeverTakesSecretsFromATable) {
  Encoder encoder;
  encoded(encoder, {{"a", "b"}});

  EXPECT_EQ(encoded(encoder, {{"a", "b", true}}), "1f2f0162");
  EXPECT_EQ(encoded(encoder, {{":method", "GET", true}}), "1203474554");
  EXPECT_EQ(encoder.table().size(), 1U);
}

TEST(HpackEncoder, UsesHuffmanOnlyIfThatIsShorter) {
  Encoder encoder;

  EXPECT_EQ(encoded(encoder, {{":path", "000"}}, Indexing::without), "04820001");
  EXPECT_EQ(encoded(encoder, {{":path", "&&&"}}, Indexing::without), "0403262626");
  EXPECT_EQ(encoded(encoder, {{":path", ""}}, Indexing::without), "0400");
}

TEST(HpackEncoder, KeepsTheTableForFieldsThatAreTooLargeForIt) {
  Encoder encoder(100);
  encoded(encoder, {{"a", "b"}});

  encoded(encoder, {{"large", std::string(100, 'x')}});

  EXPECT_EQ(fields_of(encoder.table()), (FieldList{{"a", "b"}}));
}

TEST(HpackEncoder, SaysThatItsTableIsSmallerThanTheDefault) {
  Encoder encoder(100);

  EXPECT_EQ(encoded(encoder, {{":method", "GET"}}), "3f4582");
  EXPECT_EQ(encoded(encoder, {{":method", "GET"}}), "82");
}

TEST(HpackEncoder, SaysThatThePeerHasLoweredTheMaximum) {
  Encoder encoder;
  encoded(encoder, {{"a", "b"}});

  encoder.set_peer_max_table_bytes(0);

  EXPECT_EQ(encoded(encoder, {{"a", "b"}}), "200001610162");
  EXPECT_EQ(encoder.table().size(), 0U);
}

TEST(HpackEncoder, SaysTheSmallestAndTheLastOfSeveralMaxima) {
  Encoder encoder;
  encoder.set_peer_max_table_bytes(1000);
  encoder.set_peer_max_table_bytes(100);
  encoder.set_peer_max_table_bytes(2000);

  EXPECT_EQ(encoded(encoder, {}), "3f453fb10f");
}

TEST(HpackEncoder, UsesNoLargerTableThanItsOwn) {
  Encoder encoder;
  encoder.set_peer_max_table_bytes(65536);

  EXPECT_EQ(encoded(encoder, {{":method", "GET"}}), "82");
  EXPECT_EQ(encoder.table().max_bytes(), 4096U);
}

TEST(HpackEncoder, UsesALargerTableIfBothAllowIt) {
  Encoder encoder(8192);
  EXPECT_EQ(encoded(encoder, {}), "");
  encoder.set_peer_max_table_bytes(65536);

  EXPECT_EQ(encoded(encoder, {}), "3fe13f");
}

TEST(HpackEncoder, KeepsItsRevisionWhileBlocksMayBeRepeated) {
  Encoder encoder;
  std::uint64_t revision = encoder.revision();
  encoded(encoder, {{"a", "b"}});
  EXPECT_NE(encoder.revision(), revision);

  revision = encoder.revision();
  encoded(encoder, {{"a", "b"}, {":method", "GET"}, {"c", "d", true}});
  encoded(encoder, {{"a", "c"}}, Indexing::without);
  EXPECT_EQ(encoder.revision(), revision);

  encoder.set_peer_max_table_bytes(4096);
  EXPECT_EQ(encoder.revision(), revision);
  encoder.set_peer_max_table_bytes(1000);
  EXPECT_NE(encoder.revision(), revision);

  revision = encoder.revision();
  encoded(encoder, {});
  EXPECT_NE(encoder.revision(), revision);
}

TEST(HpackEncoder, IsUnderstoodByTheDecoderInRandomUse) {
  RandomFields random(seed_of_run());
  for (int connection = 0; connection < 40; ++connection) {
    Encoder encoder(static_cast<std::uint32_t>(random.below(3) == 0 ? random.below(2000) : 4096));
    Decoder decoder(no_names, {.max_list_bytes = 1 << 20});
    for (int round = 0; round < 60; ++round) {
      for (std::size_t change = random.below(6); change > 3; --change) {
        const auto bytes = static_cast<std::uint32_t>(random.below(3) == 0 ? 0 : random.below(8192));
        encoder.set_peer_max_table_bytes(bytes);
        decoder.set_max_table_bytes(bytes);
      }
      const FieldList fields = random.list();
      const Indexing indexing = random.below(3) == 0 ? Indexing::without : Indexing::index;

      const DecodedBlock decoded = decode_block(decoder, encode_block(encoder, fields, indexing));

      ASSERT_EQ(decoded.step, Decoder::Step::end) << to_string(decoder.error());
      ASSERT_EQ(decoded.fields, fields);
      ASSERT_EQ(fields_of(decoder.table()), fields_of(encoder.table()));
      ASSERT_EQ(decoder.table().bytes(), encoder.table().bytes());
    }
  }
}

}  // namespace
}  // namespace trunkline::http::hpack
