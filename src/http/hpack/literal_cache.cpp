// SPDX-License-Identifier: MIT
// LiteralCache: replaces literals that are used less recently.
#include "http/hpack/literal_cache.h"

namespace trunkline::http::hpack {

LiteralCache::Slot& LiteralCache::insert(std::uint16_t name, ByteSpan encoded, std::string_view value,
                                         std::uint8_t kind) {
  constexpr std::size_t capacity_step = 64;
  const std::uint64_t tail = tail_of(encoded);
  Set& set = sets_[set_of(name, tail)];
  Slot& slot = set.slots[set.oldest];
  set.oldest ^= 1;
  const std::size_t size = encoded.size() + value.size();
  if (size > slot.capacity_) {
    const std::size_t capacity = (size + capacity_step - 1) / capacity_step * capacity_step;
    slot.bytes_.reset(new char[capacity]);
    slot.capacity_ = static_cast<std::uint16_t>(capacity);
  }
  std::memcpy(slot.bytes_.get(), encoded.data(), encoded.size());
  if (!value.empty()) std::memcpy(slot.bytes_.get() + encoded.size(), value.data(), value.size());
  slot.tail_ = tail;
  slot.name_ = name;
  slot.encoded_size_ = static_cast<std::uint16_t>(encoded.size());
  slot.value_size_ = static_cast<std::uint16_t>(value.size());
  slot.kind = kind;
  slot.memo = 0;
  return slot;
}

}  // namespace trunkline::http::hpack
