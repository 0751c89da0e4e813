// SPDX-License-Identifier: MIT
// Fields: tag, size and value, which make up hello and header blocks (docs/wire.md, section 3).
#pragma once

#include "wire/byte_order.h"
#include "wire/leb128.h"

#include <trunkline/slice.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trunkline::wire {

struct Field {
  std::uint8_t tag = 0;
  ByteSpan value;

  /// Returns true if an unknown tag of this kind is skipped; any other unknown tag is an error.
  bool is_skippable() const noexcept { return tag >= 0x80; }
};

/// Reads the fields in `bytes` one by one. `bytes` must outlive the reader and the fields.
class FieldReader {
 public:
  explicit FieldReader(ByteSpan bytes) noexcept : rest_(bytes) {}

  /// Reads the next field. Returns false at the end, and always once malformed().
  bool next(Field& field) noexcept {
    if (rest_.empty()) return false;
    std::uint64_t size = 0;
    const std::size_t taken = read_leb128(rest_.subspan(1), field_size_bytes, size);
    if (taken == 0 || size > rest_.size() - 1 - taken) {
      malformed_ = true;
      rest_ = {};
      return false;
    }
    field.tag = std::to_integer<std::uint8_t>(rest_[0]);
    field.value = rest_.subspan(1 + taken, static_cast<std::size_t>(size));
    rest_ = rest_.subspan(1 + taken + static_cast<std::size_t>(size));
    return true;
  }
  /// Returns true if the bytes after the last field are not a complete field.
  bool malformed() const noexcept { return malformed_; }

 private:
  ByteSpan rest_;
  bool malformed_ = false;
};

/// Reads a field's integer of 1 to 8 bytes. Returns false for any other size.
inline bool read_integer(ByteSpan value, std::uint64_t& out) noexcept {
  if (value.empty() || value.size() > 8) return false;
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < value.size(); ++i) result |= std::to_integer<std::uint64_t>(value[i]) << (8 * i);
  out = result;
  return true;
}

/// Appends fields to `out`, which must outlive it. Values are shorter than 2^28 bytes.
class FieldWriter {
 public:
  explicit FieldWriter(BufferWriter& out) noexcept : out_(&out) {}

  /// Appends tag and size. Returns where the caller must write the `size` bytes of the value before anything else is
  /// appended.
  std::byte* open(std::uint8_t tag, std::size_t size) {
    std::byte* at = out_->prepare(1 + field_size_bytes + size).data();
    at[0] = static_cast<std::byte>(tag);
    const std::size_t prefix = 1 + write_leb128(size, at + 1);
    out_->advance(prefix + size);
    return at + prefix;
  }
  void bytes(std::uint8_t tag, ByteSpan value) {
    std::byte* at = open(tag, value.size());
    if (!value.empty()) std::memcpy(at, value.data(), value.size());
  }
  void text(std::uint8_t tag, std::string_view value) { bytes(tag, as_bytes(value)); }
  /// Appends an integer in the shortest form, which has at least one byte.
  void integer(std::uint8_t tag, std::uint64_t value) {
    std::size_t size = 1;
    while (size < 8 && (value >> (8 * size)) != 0) ++size;
    std::byte* at = open(tag, size);
    for (std::size_t i = 0; i < size; ++i) at[i] = static_cast<std::byte>(value >> (8 * i));
  }

 private:
  BufferWriter* out_;
};

}  // namespace trunkline::wire
