// SPDX-License-Identifier: MIT
// Mask: the key that a client's bytes are combined with (RFC 6455, section 5.3).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace trunkline::http::websocket {

/// A key. The key 0 leaves bytes as they are, as in the frames of servers.
class Mask {
 public:
  constexpr Mask() noexcept = default;
  /// Takes the four bytes of the frame's header.
  explicit Mask(const std::byte* key) noexcept { std::memcpy(&word_, key, sizeof(word_)); }

  static constexpr std::size_t key_bytes = 4;
  void write_key(std::byte* out) const noexcept { std::memcpy(out, &word_, sizeof(word_)); }

  /// Returns the mask for the bytes after the next `bytes` bytes.
  Mask after(std::size_t bytes) const noexcept {
    const int bits = static_cast<int>(bytes % key_bytes) * 8;
    Mask rest;
    rest.word_ = std::endian::native == std::endian::little ? std::rotr(word_, bits) : std::rotl(word_, bits);
    return rest;
  }
  /// Masks `size` bytes from `from` to `to`, which may be the same place or one before it in the same memory.
  void apply(std::byte* to, const std::byte* from, std::size_t size) const noexcept;

  bool operator==(const Mask&) const = default;

 private:
  /// The bytes of the key in the order of memory.
  std::uint32_t word_ = 0;
};

}  // namespace trunkline::http::websocket
