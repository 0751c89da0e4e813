// SPDX-License-Identifier: MIT
// The Huffman code: examples, every symbol, padding, EOS, limits.
#include "http/hpack/huffman.h"
#include "unit/http/hex.h"
#include "unit/http/seed.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace trunkline::http::hpack {
namespace {

std::vector<std::byte> coded(std::string_view text) {
  std::vector<std::byte> bytes(huffman_size(text));
  EXPECT_EQ(encode_huffman(text, bytes.data()), bytes.data() + bytes.size());
  return bytes;
}

struct DecodedText {
  HuffmanResult result;
  std::string text;
};

DecodedText decoded(ByteSpan encoded, std::size_t room = 4096) {
  // Exactly sized, so that a sanitizer detects a byte too many on either side.
  const std::vector<std::byte> input(encoded.begin(), encoded.end());
  std::vector<char> output(room);
  std::size_t size = 0;
  const HuffmanResult result = decode_huffman(input, output, size);
  return {result, result == HuffmanResult::complete ? std::string(output.data(), size) : std::string()};
}

TEST(Huffman, CodesTheExamplesOfTheSpecification) {
  EXPECT_EQ(to_hex(coded("www.example.com")), "f1e3c2e5f23a6ba0ab90f4ff");  // C.4.1
  EXPECT_EQ(to_hex(coded("no-cache")), "a8eb10649cbf");                     // C.4.2
  EXPECT_EQ(to_hex(coded("custom-value")), "25a849e95bb8e8b4bf");           // C.4.3
  EXPECT_EQ(decoded(from_hex("f1e3c2e5f23a6ba0ab90f4ff")).text, "www.example.com");
}

TEST(Huffman, DecodesEverySymbolAtEveryPlace) {
  for (unsigned symbol = 0; symbol < 256; ++symbol) {
    for (std::size_t before = 0; before < 12; ++before) {
      for (const std::size_t after : {0U, 1U, 12U}) {
        const std::string text =
            std::string(before, 'a') + static_cast<char>(symbol) + std::string(after, static_cast<char>(symbol));

        EXPECT_EQ(decoded(coded(text)).text, text);
      }
    }
  }
}

TEST(Huffman, DecodesRandomText) {
  std::mt19937_64 random(seed_of_run());
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 300, '\0');
    const bool is_binary = random() % 2 == 0;
    for (char& character : text) character = static_cast<char>(is_binary ? random() : ' ' + random() % 95);

    const std::vector<std::byte> encoded = coded(text);

    EXPECT_EQ(decoded(encoded, text.size()).text, text);
    EXPECT_LE(text.size(), max_decoded_bytes(encoded.size()));
    if (text.empty()) continue;
    EXPECT_EQ(decoded(encoded, text.size() - 1).result, HuffmanResult::too_long);
  }
}

TEST(Huffman, AcceptsUpToSevenOnesOfPadding) {
  EXPECT_EQ(decoded(from_hex("")).text, "");
  EXPECT_EQ(decoded(from_hex("1f")).text, "a");            // 00011, three bits
  EXPECT_EQ(decoded(from_hex("0000007f")).text, "00000");  // 25 bits
}

TEST(Huffman, RefusesPaddingWithAZero) {
  EXPECT_EQ(decoded(from_hex("1e")).result, HuffmanResult::malformed);
  EXPECT_EQ(decoded(from_hex("18")).result, HuffmanResult::malformed);
}

TEST(Huffman, RefusesMoreThanSevenBitsOfPadding) {
  EXPECT_EQ(decoded(from_hex("ff")).result, HuffmanResult::malformed);
  EXPECT_EQ(decoded(from_hex("1fff")).result, HuffmanResult::malformed);
  EXPECT_EQ(decoded(from_hex("1fffffff")).result, HuffmanResult::malformed);
}

TEST(Huffman, RefusesTheEndOfStringSymbol) {
  EXPECT_EQ(decoded(from_hex("ffffffff")).result, HuffmanResult::malformed);
  // Also in front of other symbols, and where eight bytes are decoded at once.
  EXPECT_EQ(decoded(from_hex("fffffffc631f")).result, HuffmanResult::malformed);
  EXPECT_EQ(decoded(from_hex("18c6ffffffff18c618c618c618c618c618c6")).result, HuffmanResult::malformed);
}

TEST(Huffman, StopsAtTheEndOfTheOutput) {
  const std::vector<std::byte> encoded = coded(std::string(100, '0'));

  EXPECT_EQ(decoded(encoded, 100).text, std::string(100, '0'));
  for (std::size_t room = 0; room < 100; ++room) EXPECT_EQ(decoded(encoded, room).result, HuffmanResult::too_long);
}

}  // namespace
}  // namespace trunkline::http::hpack
