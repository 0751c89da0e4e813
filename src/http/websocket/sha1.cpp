// SPDX-License-Identifier: MIT
// sha1(): computes SHA-1 of a text that is in memory.
#include "http/websocket/sha1.h"

#include <bit>
#include <cstdint>
#include <string>

namespace trunkline::http::websocket {

namespace {

constexpr std::size_t block_bytes = 64;
using State = std::array<std::uint32_t, 5>;

std::uint32_t read_word(const char* bytes) noexcept {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word = word << 8 | static_cast<unsigned char>(bytes[i]);
  return word;
}

/// Returns what a round adds, together with the constant of its twenty rounds.
std::uint32_t mix(std::size_t round, std::uint32_t b, std::uint32_t c, std::uint32_t d) noexcept {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5A827999;
  if (round < 40) return (b ^ c ^ d) + 0x6ED9EBA1;
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC;
  return (b ^ c ^ d) + 0xCA62C1D6;
}

void add_block(State& state, const char* block) noexcept {
  std::array<std::uint32_t, 80> words;
  for (std::size_t i = 0; i < 16; ++i) words[i] = read_word(block + 4 * i);
  for (std::size_t i = 16; i < words.size(); ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  State now = state;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t next = std::rotl(now[0], 5) + mix(i, now[1], now[2], now[3]) + now[4] + words[i];
    now = {next, now[0], std::rotl(now[1], 30), now[2], now[3]};
  }
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += now[i];
}

}  // namespace

std::array<std::byte, 20> sha1(std::string_view text) {
  std::string padded(text);
  padded += '\x80';
  while (padded.size() % block_bytes != block_bytes - 8) padded += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(std::uint64_t{text.size()} * 8 >> shift);

  State state{0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  for (std::size_t at = 0; at < padded.size(); at += block_bytes) add_block(state, padded.data() + at);

  std::array<std::byte, 20> digest;
  for (std::size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<std::byte>(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

}  // namespace trunkline::http::websocket
