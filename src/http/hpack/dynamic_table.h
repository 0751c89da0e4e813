// SPDX-License-Identifier: MIT
// DynamicTable: the fields that both ends of a connection remember (RFC 7541, sections 2.3.2 and 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace trunkline::http::hpack {

/// A queue of fields whose size is at most max_bytes(); the oldest ones are evicted for new ones. The text of all
/// fields is in one buffer, which grows with the fields to at most twice max_bytes(). Nothing is allocated before the
/// first field.
class DynamicTable {
 public:
  /// The bytes that a field counts beside its name and value (RFC 7541, section 4.1).
  static constexpr std::uint32_t field_overhead = 32;

  struct Entry {
    /// A word of the table's user; 0 in a new entry.
    std::uint32_t memo = 0;
    std::uint32_t name_size = 0;
    std::uint32_t value_size = 0;
    std::uint8_t name_id = 0;
    std::uint8_t kind = 0;

   private:
    // The place of the text as if all text ever inserted were in one buffer; it wraps around.
    std::uint32_t at_ = 0;
    friend class DynamicTable;
  };

  explicit DynamicTable(std::uint32_t max_bytes) noexcept : max_bytes_(max_bytes) {}

  /// Returns the number of entries.
  std::uint32_t size() const noexcept { return next_ - first_; }
  /// Returns the bytes of the entries, with the overhead of each.
  std::uint32_t bytes() const noexcept { return bytes_; }
  std::uint32_t max_bytes() const noexcept { return max_bytes_; }
  /// Returns a number that changes with the entries.
  std::uint64_t revision() const noexcept { return std::uint64_t{first_} << 32 | next_; }

  /// Returns an entry. `index` is below size(); 0 is the newest entry. The reference is valid until the next insert().
  Entry& operator[](std::uint32_t index) noexcept { return entries_[(next_ - 1 - index) & mask_]; }
  const Entry& operator[](std::uint32_t index) const noexcept { return entries_[(next_ - 1 - index) & mask_]; }
  /// Return views of the table. Evicted text stays readable until the next insert().
  std::string_view name(const Entry& entry) const noexcept { return {text_of(entry), entry.name_size}; }
  std::string_view value(const Entry& entry) const noexcept {
    return {text_of(entry) + entry.name_size, entry.value_size};
  }

  /// Evicts entries until the field has room, and inserts it. A field larger than max_bytes() empties the table and is
  /// not inserted: the result is null (RFC 7541, section 4.4). `name` may be that of an entry, even an evicted one.
  Entry* insert(std::string_view name, std::string_view value, std::uint8_t name_id, std::uint8_t kind);
  /// Sets the limit, and evicts the entries that have no room any more (RFC 7541, section 4.3).
  void set_max_bytes(std::uint32_t max_bytes) noexcept;
  void clear() noexcept;

 private:
  const char* text_of(const Entry& entry) const noexcept { return text_.get() + (entry.at_ - text_start_); }
  void evict_beyond(std::uint32_t bytes) noexcept;
  void write(std::string_view name, std::string_view value);
  void grow_entries();

  // A ring whose size is a power of two, mask_ + 1. The entries are numbered, and both numbers wrap around.
  std::vector<Entry> entries_;
  std::uint32_t mask_ = 0;
  std::uint32_t first_ = 0;
  std::uint32_t next_ = 0;
  std::uint32_t bytes_ = 0;
  std::uint32_t max_bytes_;
  // The text of the entries stands in order, somewhere between text_start_ and text_end_. It is moved to the start of
  // the buffer when the end has been reached.
  std::unique_ptr<char[]> text_;
  std::size_t text_capacity_ = 0;
  std::uint32_t text_start_ = 0;
  std::uint32_t text_end_ = 0;
};

}  // namespace trunkline::http::hpack
