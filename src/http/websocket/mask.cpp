// SPDX-License-Identifier: MIT
// Mask: applies masks in steps of 32 bytes.
#include "http/websocket/mask.h"

namespace trunkline::http::websocket {

namespace {

/// Compilers turn this type into the widest registers that the target has.
using Wide [[gnu::vector_size(32)]] = std::uint64_t;

template <class Word>
void apply_word(std::byte* to, const std::byte* from, const Word& key) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof(word));
  word ^= key;
  std::memcpy(to, &word, sizeof(word));
}

}  // namespace

/// Applies the mask. Each step has read all that it overwrites, since `to` is not behind `from`.
void Mask::apply(std::byte* to, const std::byte* from, std::size_t size) const noexcept {
  if (word_ == 0) {
    if (to != from && size > 0) std::memmove(to, from, size);
    return;
  }
  const std::uint64_t two = (std::uint64_t{word_} << 32) | word_;
  const Wide wide = {two, two, two, two};
  std::size_t at = 0;
  for (; size - at >= sizeof(wide); at += sizeof(wide)) apply_word(to + at, from + at, wide);
  for (; size - at >= sizeof(two); at += sizeof(two)) apply_word(to + at, from + at, two);
  std::byte key[key_bytes];
  write_key(key);
  for (; at < size; ++at) to[at] = from[at] ^ key[at % key_bytes];
}

}  // namespace trunkline::http::websocket
