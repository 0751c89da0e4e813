// SPDX-License-Identifier: MIT
// LiteralCache: decoded values of literals that a peer repeats without entering them in its table.
#pragma once

#include <trunkline/slice.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace trunkline::http::hpack {

/// A two-way associative cache whose key is the field's name and the encoded bytes of its value (RFC 7541,
/// section 5.2), so that a repeated literal costs a comparison of its bytes. It allocates memory for a slot when the
/// slot is first used, at most 256 bytes for each of 16.
class LiteralCache {
 public:
  class Slot {
   public:
    std::string_view value() const noexcept { return {bytes_.get() + encoded_size_, value_size_}; }

    /// A word of the cache's user; 0 in a new entry.
    std::uint32_t memo = 0;
    std::uint8_t kind = 0;

   private:
    friend class LiteralCache;
    // The encoded value, followed by the decoded one.
    std::unique_ptr<char[]> bytes_;
    std::uint64_t tail_ = 0;
    std::uint16_t capacity_ = 0;
    std::uint16_t name_ = 0;
    std::uint16_t encoded_size_ = 0;
    std::uint16_t value_size_ = 0;
  };

  /// The most bytes of an encoded value and its decoded form together.
  static constexpr std::size_t max_slot_bytes = 256;

  static bool can_hold(std::size_t encoded_size, std::size_t value_size) noexcept {
    return encoded_size + value_size <= max_slot_bytes;
  }

  /// Finds a literal. `name` is the caller's number for a name, not 0. `encoded` is the value with its length, not
  /// empty. Returns null if it is not in the cache; otherwise the slot is valid until the next insert().
  Slot* find(std::uint16_t name, ByteSpan encoded) noexcept {
    const std::uint64_t tail = tail_of(encoded);
    Set& set = sets_[set_of(name, tail)];
    for (std::size_t way = 0; way < 2; ++way) {
      Slot& slot = set.slots[way];
      if (slot.tail_ != tail || slot.name_ != name || slot.encoded_size_ != encoded.size()) continue;
      if (!has_same_head(slot.bytes_.get(), encoded)) continue;
      set.oldest = static_cast<std::uint8_t>(way ^ 1);
      return &slot;
    }
    return nullptr;
  }
  /// Inserts a literal that find() has not found, in place of the less recently used one of its set. Needs can_hold().
  Slot& insert(std::uint16_t name, ByteSpan encoded, std::string_view value, std::uint8_t kind);

 private:
  struct Set {
    std::array<Slot, 2> slots;
    std::uint8_t oldest = 0;
  };
  static constexpr std::size_t set_count = 8;

  /// Returns the last eight bytes, in which the values of one name differ most; all of up to eight bytes count.
  static std::uint64_t tail_of(ByteSpan encoded) noexcept {
    const std::byte* bytes = encoded.data();
    const std::size_t size = encoded.size();
    if (size >= 8) return load<std::uint64_t>(bytes + size - 8);
    if (size >= 4) return std::uint64_t{load<std::uint32_t>(bytes)} << 32 | load<std::uint32_t>(bytes + size - 4);
    const auto at = [bytes](std::size_t index) { return std::to_integer<std::uint64_t>(bytes[index]); };
    return at(0) << 16 | at(size / 2) << 8 | at(size - 1);
  }
  /// Compares the bytes before the tail, eight at a time.
  static bool has_same_head(const char* bytes, ByteSpan encoded) noexcept {
    for (std::size_t at = 0; at + 8 < encoded.size(); at += 8) {
      if (load<std::uint64_t>(bytes + at) != load<std::uint64_t>(encoded.data() + at)) return false;
    }
    return true;
  }
  template <class Integer>
  static Integer load(const void* from) noexcept {
    Integer value;
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
  static std::size_t set_of(std::uint16_t name, std::uint64_t tail) noexcept {
    static_assert(set_count == 8);
    return (tail ^ name * 0xD6E8FEB86659FD93ULL) * 0x9E3779B97F4A7C15ULL >> 61;
  }

  std::array<Set, set_count> sets_;
};

}  // namespace trunkline::http::hpack
