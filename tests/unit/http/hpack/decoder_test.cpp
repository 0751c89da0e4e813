// SPDX-License-Identifier: MIT
// The decoder: every error, limits, ids, memos, the cache of literals.
#include "http/hpack/decoder.h"
#include "unit/http/hex.h"
#include "unit/http/hpack/field_list.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::http::hpack {
namespace {

using Step = Decoder::Step;

std::uint8_t length_of_value(std::string_view, std::string_view value) noexcept {
  return static_cast<std::uint8_t>(value.size());
}

const NameIds ids({":path", "x-known"}, length_of_value);

class HpackDecoder : public testing::Test {
 protected:
  DecodedBlock decode(std::string_view hex) { return decode_block(decoder_, from_hex(hex)); }
  void expect_error(std::string_view hex, DecodeError error) {
    Decoder decoder(ids);
    EXPECT_EQ(decode_block(decoder, from_hex(hex)).step, Step::error) << hex;
    EXPECT_EQ(decoder.error(), error) << hex << ": " << to_string(decoder.error());
  }
  /// The only field of the block.
  Field decode_field(std::string_view hex) {
    block_ = from_hex(hex);
    decoder_.begin(block_);
    Field field;
    EXPECT_EQ(decoder_.next(field), Step::field);
    return field;
  }

  Decoder decoder_{ids};
  std::vector<std::byte> block_;
};

TEST_F(HpackDecoder, AcceptsAnEmptyBlock) { EXPECT_EQ(decode("").step, Step::end); }

TEST_F(HpackDecoder, RefusesIndexesOfNoTable) {
  expect_error("80", DecodeError::bad_index);
  expect_error("be", DecodeError::bad_index);      // 62, the table is empty
  expect_error("7e0161", DecodeError::bad_index);  // as a name
  expect_error("0f2f0161", DecodeError::bad_index);
  expect_error("ffffffff07", DecodeError::bad_index);
}

TEST_F(HpackDecoder, RefusesEveryTruncation) {
  const std::vector<std::byte> whole = from_hex("4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf");
  for (std::size_t size = 1; size < whole.size(); ++size) {
    Decoder decoder(ids);

    EXPECT_EQ(decode_block(decoder, ByteSpan(whole).first(size)).step, Step::error);
    EXPECT_EQ(decoder.error(), DecodeError::truncated);
  }
  expect_error("ff", DecodeError::truncated);
  expect_error("3f", DecodeError::truncated);
  expect_error("04ffff", DecodeError::truncated);
}

TEST_F(HpackDecoder, RefusesIntegersOverLimits) {
  expect_error("ff ffffffff 7f", DecodeError::integer_overflow);
  expect_error("3f ffffffff 7f", DecodeError::integer_overflow);
  expect_error("04 7f ffffffff 7f", DecodeError::integer_overflow);
}

TEST_F(HpackDecoder, RefusesBadHuffmanCodes) {
  expect_error("04 82 1fff", DecodeError::bad_huffman);
  expect_error("00 81 ff 00", DecodeError::bad_huffman);
  expect_error("04 84 ffffffff", DecodeError::bad_huffman);
}

TEST_F(HpackDecoder, StaysInErrorAfterOne) {
  EXPECT_EQ(decode("80").step, Step::error);

  EXPECT_EQ(decode("82").step, Step::error);
  EXPECT_EQ(decoder_.error(), DecodeError::bad_index);
}

TEST_F(HpackDecoder, TakesSizeUpdatesAtTheStartOfABlock) {
  EXPECT_EQ(decode("40016101 62").step, Step::end);
  EXPECT_EQ(decoder_.table().size(), 1U);

  EXPECT_EQ(decode("20 3fe11f 82").step, Step::end);  // 0, then 4096

  EXPECT_EQ(decoder_.table().size(), 0U);
  EXPECT_EQ(decoder_.table().max_bytes(), 4096U);
}

TEST_F(HpackDecoder, RefusesSizeUpdatesBehindAField) {
  expect_error("82 20", DecodeError::late_size_update);
  expect_error("04016120", DecodeError::late_size_update);
  expect_error("20 82 20", DecodeError::late_size_update);
}

TEST_F(HpackDecoder, RefusesSizeUpdatesBehindARepeatedLiteral) {
  EXPECT_EQ(decode("040161").step, Step::end);

  EXPECT_EQ(decode("040161 20").step, Step::error);
  EXPECT_EQ(decoder_.error(), DecodeError::late_size_update);
}

TEST_F(HpackDecoder, RefusesSizeUpdatesOverTheAnnouncedMaximum) {
  expect_error("3fe21f", DecodeError::excessive_size_update);  // 4097
}

TEST_F(HpackDecoder, AcceptsLargerSizeUpdatesOnceAnnounced) {
  decoder_.set_max_table_bytes(8192);

  EXPECT_EQ(decode("3fe13f 82").step, Step::end);
  EXPECT_EQ(decoder_.table().max_bytes(), 8192U);
}

TEST_F(HpackDecoder, NeedsNoSizeUpdateAfterTheMaximumWasRaised) {
  decoder_.set_max_table_bytes(8192);

  EXPECT_EQ(decode("82").step, Step::end);
  EXPECT_EQ(decoder_.table().max_bytes(), 4096U);
}

TEST_F(HpackDecoder, NeedsASizeUpdateAfterTheMaximumWasLowered) {
  decoder_.set_max_table_bytes(100);

  EXPECT_EQ(decode("82").step, Step::error);
  EXPECT_EQ(decoder_.error(), DecodeError::missing_size_update);
}

TEST_F(HpackDecoder, NeedsASizeUpdateBeforeLiteralsToo) {
  decoder_.set_max_table_bytes(100);

  EXPECT_EQ(decode("040161").step, Step::error);
  EXPECT_EQ(decoder_.error(), DecodeError::missing_size_update);
}

TEST_F(HpackDecoder, NeedsASizeUpdateBeforeRepeatedLiteralsToo) {
  EXPECT_EQ(decode("040161").step, Step::end);
  decoder_.set_max_table_bytes(100);

  EXPECT_EQ(decode("040161").step, Step::error);
  EXPECT_EQ(decoder_.error(), DecodeError::missing_size_update);
}

TEST_F(HpackDecoder, NeedsASizeUpdateInABlockWithoutFieldsToo) {
  decoder_.set_max_table_bytes(100);

  EXPECT_EQ(decode("").step, Step::error);
  EXPECT_EQ(decoder_.error(), DecodeError::missing_size_update);
}

TEST_F(HpackDecoder, NeedsNoSizeUpdateIfThePeerUsesLessAnyway) {
  EXPECT_EQ(decode("3f31").step, Step::end);  // 80
  decoder_.set_max_table_bytes(100);

  EXPECT_EQ(decode("82").step, Step::end);
}

TEST_F(HpackDecoder, NeedsTheSmallestOfTheMaximaThatWereAnnounced) {
  decoder_.set_max_table_bytes(100);
  decoder_.set_max_table_bytes(4096);
  EXPECT_EQ(decode("3f45 3fe11f 82").step, Step::end);  // 100, 4096

  decoder_.set_max_table_bytes(100);
  decoder_.set_max_table_bytes(4096);
  EXPECT_EQ(decode("3fe11f 82").step, Step::error);
  EXPECT_EQ(decoder_.error(), DecodeError::excessive_size_update);
}

TEST_F(HpackDecoder, EvictsAtOnceWhenTheMaximumIsLowered) {
  EXPECT_EQ(decode("40016101 62").step, Step::end);

  decoder_.set_max_table_bytes(33);

  EXPECT_EQ(decoder_.table().size(), 0U);
}

TEST_F(HpackDecoder, KeepsTheTableInStepWhenTheListIsTooLarge) {
  Decoder decoder(ids, {.max_list_bytes = 100});
  // a: b is 34 bytes; the third field is over the limit, as is all that follows.
  const DecodedBlock decoded = decode_block(decoder, from_hex("40016101 62 40016301 64 40016501 66 82 40016701 68"));

  EXPECT_EQ(decoded.step, Step::end_too_large);
  EXPECT_EQ(decoded.fields, (FieldList{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(fields_of(decoder.table()), (FieldList{{"g", "h"}, {"e", "f"}, {"c", "d"}, {"a", "b"}}));
  EXPECT_EQ(decode_block(decoder, from_hex("be")).step, Step::end);
}

TEST_F(HpackDecoder, CountsIndexedFieldsToo) {
  Decoder decoder(ids, {.max_list_bytes = 42 * 3});

  EXPECT_EQ(decode_block(decoder, from_hex("828282")).step, Step::end);
  EXPECT_EQ(decode_block(decoder, from_hex("82828282")).step, Step::end_too_large);
}

TEST_F(HpackDecoder, CountsRepeatedLiteralsToo) {
  Decoder decoder(ids, {.max_list_bytes = 38 * 2});

  EXPECT_EQ(decode_block(decoder, from_hex("040161 040161")).step, Step::end);
  EXPECT_EQ(decode_block(decoder, from_hex("040161 040161 040161")).step, Step::end_too_large);
}

TEST_F(HpackDecoder, RefusesRepeatedLiteralsThatAreCutOff) {
  for (const char* cut : {"04", "0405", "0405 61626364", "0405 6162636465 0f", "0405 6162636465 0f0d0231"}) {
    Decoder decoder(ids);
    EXPECT_EQ(decode_block(decoder, from_hex("0405 6162636465 0f0d023132")).step, Step::end);

    EXPECT_EQ(decode_block(decoder, from_hex(cut)).step, Step::error) << cut;
    EXPECT_EQ(decoder.error(), DecodeError::truncated) << cut;
  }
}

TEST_F(HpackDecoder, DropsStringsLongerThanEveryLimit) {
  for (const Indexing indexing : {Indexing::index, Indexing::without}) {
    for (const char filler : {'a', '\x01'}) {
      Encoder encoder(1 << 20);
      encoder.set_peer_max_table_bytes(1 << 20);
      Decoder decoder(ids, {.max_table_bytes = 1 << 20, .max_list_bytes = 100});
      EXPECT_EQ(decode_block(decoder, encode_block(encoder, {{"a", "b"}})).step, Step::end);
      decoder.set_max_table_bytes(200);

      // The encoder does not know yet that the table is smaller.
      const std::vector<std::byte> block =
          encode_block(encoder, {{"long", std::string(300, filler)}, {"c", "d"}}, indexing);
      std::vector<std::byte> with_update = from_hex("3fa901");
      with_update.insert(with_update.end(), block.begin(), block.end());
      const DecodedBlock decoded = decode_block(decoder, with_update);

      EXPECT_EQ(decoded.step, Step::end_too_large);
      EXPECT_EQ(decoded.fields, FieldList());
      EXPECT_EQ(fields_of(decoder.table()),
                indexing == Indexing::index ? (FieldList{{"c", "d"}}) : (FieldList{{"a", "b"}}));
    }
  }
}

TEST_F(HpackDecoder, DropsNamesLongerThanEveryLimit) {
  Decoder decoder(ids, {.max_table_bytes = 64, .max_list_bytes = 64});
  Encoder encoder;

  const DecodedBlock decoded = decode_block(decoder, encode_block(encoder, {{std::string(300, 'n'), "v"}}));

  EXPECT_EQ(decoded.step, Step::end_too_large);
  EXPECT_EQ(decoder.table().size(), 0U);
}

TEST_F(HpackDecoder, HandsOutAFieldThatIsTooLargeForTheTable) {
  Decoder decoder(ids, {.max_table_bytes = 40});
  EXPECT_EQ(decode_block(decoder, from_hex("40016101 62")).step, Step::end);

  const DecodedBlock decoded = decode_block(decoder, from_hex("7e0a 30313233343536373839"));

  EXPECT_EQ(decoded.fields, (FieldList{{"a", "0123456789"}}));
  EXPECT_EQ(decoder.table().size(), 0U);
}

TEST_F(HpackDecoder, SkipsTheRestOfABlock) {
  const std::vector<std::byte> block = from_hex("82 40016101 62 40016301 64");
  Field field;
  decoder_.begin(block);
  EXPECT_EQ(decoder_.next(field), Step::field);

  EXPECT_EQ(decoder_.skip_rest(), Step::end);

  EXPECT_EQ(decoder_.table().size(), 2U);
  EXPECT_EQ(decode("be bf").fields, (FieldList{{"c", "d"}, {"a", "b"}}));
}

TEST_F(HpackDecoder, MarksSensitiveFields) {
  EXPECT_EQ(decode("14016114 0161").fields, (FieldList{{":path", "a", true}, {":path", "a", true}}));
  EXPECT_EQ(decode("04016182").fields, (FieldList{{":path", "a", false}, {":method", "GET", false}}));
}

TEST_F(HpackDecoder, GivesIdsAndKinds) {
  const Field path = decode_field("040161");
  EXPECT_EQ(path.name_id, 1);
  EXPECT_EQ(path.kind, 1);
  EXPECT_EQ(decode_field("85").name_id, 1);
  EXPECT_EQ(decode_field("85").kind, 11);
  EXPECT_EQ(decode_field("4007782d6b6e6f776e 03616263").name_id, 2);
  EXPECT_EQ(decode_field("be").name_id, 2);
  EXPECT_EQ(decode_field("be").kind, 3);
  EXPECT_EQ(decode_field("0f2f0161").name_id, 2);
  EXPECT_EQ(decode_field("0001610161").name_id, 0);
}

TEST_F(HpackDecoder, RemembersMemosOfTables) {
  *decode_field("85").memo = 7;
  *decode_field("40016101 62").memo = 8;
  *decode_field("40016101 63").memo = 9;

  EXPECT_EQ(*decode_field("85").memo, 7U);
  EXPECT_EQ(*decode_field("84").memo, 0U);
  EXPECT_EQ(*decode_field("be").memo, 9U);
  EXPECT_EQ(*decode_field("bf").memo, 8U);
}

TEST_F(HpackDecoder, ForgetsMemosOfEvictedEntries) {
  *decode_field("40016101 62").memo = 8;
  EXPECT_EQ(decode("20 3fe11f").step, Step::end);

  EXPECT_EQ(*decode_field("40016101 62").memo, 0U);
}

TEST_F(HpackDecoder, RemembersMemosOfRepeatedLiterals) {
  *decode_field("048c f1e3c2e5f23a6ba0ab90f4ff").memo = 7;  // :path
  *decode_field("0401 61").memo = 8;
  *decode_field("0007782d6b6e6f776e 0162").memo = 9;

  const Field repeated = decode_field("048c f1e3c2e5f23a6ba0ab90f4ff");
  EXPECT_EQ(*repeated.memo, 7U);
  EXPECT_EQ(*decode_field("0401 61").memo, 8U);
  EXPECT_EQ(*decode_field("0007782d6b6e6f776e 0162").memo, 9U);
  // Another name, and another value.
  EXPECT_EQ(*decode_field("0601 61").memo, 0U);
  EXPECT_EQ(*decode_field("0401 62").memo, 0U);
}

TEST_F(HpackDecoder, DecodesRepeatedLiteralsTheSame) {
  const FieldList expected{{":path", "/sample/path"}, {"content-length", "12"}};
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(decode("040c 2f73 616d 706c 652f 7061 7468 0f0d 02 3132").fields, expected);
  }
}

TEST_F(HpackDecoder, RemembersNothingOfSensitiveLiterals) {
  *decode_field("140161").memo = 7;

  EXPECT_EQ(*decode_field("140161").memo, 0U);
  EXPECT_EQ(*decode_field("040161").memo, 0U);
}

TEST_F(HpackDecoder, RemembersNothingOfNamesThatNobodyKnows) {
  *decode_field("0001610161").memo = 7;

  EXPECT_EQ(*decode_field("0001620161").memo, 0U);
}

TEST_F(HpackDecoder, KnowsNoMemoOfALiteralByTheNumberOfAnotherName) {
  // The first entry of the dynamic table is another one each time.
  EXPECT_EQ(decode("40016101 62").step, Step::end);
  *decode_field("0f2f0178").memo = 7;
  EXPECT_EQ(decode("40016301 64").step, Step::end);

  const Field field = decode_field("0f2f0178");

  EXPECT_EQ(field.name, "c");
  EXPECT_EQ(*field.memo, 0U);
}

}  // namespace
}  // namespace trunkline::http::hpack
