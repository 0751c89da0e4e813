// SPDX-License-Identifier: MIT
// HPACK in both directions against nghttp2: random lists, sizes of tables, and damaged blocks.
#include "unit/http/hpack/nghttp2_coding.h"
#include "unit/http/seed.h"

#include <gtest/gtest.h>

namespace trunkline::http::hpack {
namespace {

const NameIds compared_names({":path", "content-length"});

class HpackBesideNghttp2 : public testing::Test {
 protected:
  /// Sometimes, one to three new sizes of the table.
  std::vector<std::uint32_t> new_sizes() {
    std::vector<std::uint32_t> sizes;
    for (std::size_t change = random_.below(8); change > 4; --change) {
      sizes.push_back(static_cast<std::uint32_t>(random_.below(3) == 0 ? 0 : random_.below(6000)));
    }
    return sizes;
  }
  /// nghttp2 decides by the name what it never indexes.
  static FieldList without_flags(FieldList fields) {
    for (TextField& field : fields) field.is_sensitive = false;
    return fields;
  }

  RandomFields random_{seed_of_run()};
};

TEST_F(HpackBesideNghttp2, EncodesWhatNghttp2Decodes) {
  for (int connection = 0; connection < 30; ++connection) {
    Encoder encoder;
    Nghttp2Inflater inflater;
    for (int round = 0; round < 50; ++round) {
      for (const std::uint32_t bytes : new_sizes()) {
        encoder.set_peer_max_table_bytes(bytes);
        inflater.set_max_table_bytes(bytes);
      }
      const FieldList fields = random_.list();
      const Indexing indexing = random_.below(3) == 0 ? Indexing::without : Indexing::index;

      const std::optional<FieldList> decoded = inflater.decode(encode_block(encoder, fields, indexing));

      ASSERT_TRUE(decoded.has_value());
      ASSERT_EQ(*decoded, fields);
      ASSERT_EQ(inflater.table(), fields_of(encoder.table()));
    }
  }
}

TEST_F(HpackBesideNghttp2, DecodesWhatNghttp2Encodes) {
  for (int connection = 0; connection < 30; ++connection) {
    Nghttp2Deflater deflater;
    Decoder decoder(compared_names, {.max_list_bytes = 1 << 20});
    for (int round = 0; round < 50; ++round) {
      for (const std::uint32_t bytes : new_sizes()) {
        deflater.set_max_table_bytes(bytes);
        decoder.set_max_table_bytes(bytes);
      }
      const FieldList fields = random_.list();

      const DecodedBlock decoded = decode_block(decoder, deflater.encode(fields));

      ASSERT_EQ(decoded.step, Decoder::Step::end) << to_string(decoder.error());
      ASSERT_EQ(without_flags(decoded.fields), without_flags(fields));
    }
  }
}

TEST_F(HpackBesideNghttp2, JudgesDamagedBlocksAlike) {
  std::size_t refused = 0;
  for (int connection = 0; connection < 3000; ++connection) {
    Encoder encoder;
    Nghttp2Inflater inflater;
    Decoder decoder(compared_names, {.max_list_bytes = 1 << 20});
    for (int round = 0; round < 10; ++round) {
      for (const std::uint32_t bytes : new_sizes()) {
        encoder.set_peer_max_table_bytes(bytes);
        inflater.set_max_table_bytes(bytes);
        decoder.set_max_table_bytes(bytes);
      }
      std::vector<std::byte> block = encode_block(encoder, random_.list());
      for (std::size_t damage = random_.below(3); damage > 0 && !block.empty(); --damage) {
        block[random_.below(block.size())] = static_cast<std::byte>(random_.below(256));
      }

      const std::optional<FieldList> expected = inflater.decode(block);
      const DecodedBlock decoded = decode_block(decoder, block);

      ASSERT_EQ(decoded.step == Decoder::Step::end, expected.has_value()) << to_string(decoder.error());
      if (!expected) {
        ++refused;
        break;
      }
      ASSERT_EQ(decoded.fields, *expected);
      ASSERT_EQ(fields_of(decoder.table()), inflater.table());
      ASSERT_EQ(decoder.table().bytes(), inflater.table_bytes());
    }
  }
  EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace trunkline::http::hpack
