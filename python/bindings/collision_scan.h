// SPDX-License-Identifier: MIT
// CollisionScan: finds messages whose keys or elements are chosen to have the same hash in Python.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::python {

/// The form into which the texts of a message may be decoded.
enum class TextForm : std::uint8_t {
  /// A text stays a text, whose hash nobody can foretell. The keys of JSON may also become numbers.
  text,
  decimal,
  uuid,
};

/// Reads a message once. CPython's hashes of numbers, UUIDs, and of tuples of them can be foretold; a dict or set of n
/// items with the same hash takes n * n / 2 comparisons to make. Bytes that are no message have no collisions: their
/// decoder refuses them.
class CollisionScan {
 public:
  /// The number of different keys of one map, or items of one array, that may have the same hash.
  static constexpr std::size_t max_collisions = 1000;

  /// `checks_arrays` says that arrays may become sets. If it is false, only the keys of maps count.
  CollisionScan(std::string_view message, TextForm texts, bool checks_arrays) noexcept
      : message_(message), texts_(texts), checks_arrays_(checks_arrays) {}

  bool finds_in_json();
  bool finds_in_msgpack();

 private:
  struct Item {
    std::int64_t hash;
    std::string_view encoded;
  };

  // Each of these functions returns the hash of what it has read, which is of use only if `is_hashed`.
  std::int64_t json_value(bool is_hashed);
  std::int64_t json_array(bool is_hashed);
  std::int64_t json_object(bool is_hashed);
  std::int64_t json_number();
  std::int64_t json_string(bool is_hashed, bool is_key);
  void take_escape();
  std::uint32_t take_code_unit() noexcept;
  std::int64_t msgpack_value(bool is_hashed);
  std::int64_t msgpack_array(std::uint64_t count, bool is_hashed);
  std::int64_t msgpack_map(std::uint64_t count, bool is_hashed);
  std::int64_t msgpack_text(std::uint64_t length, bool is_hashed);
  std::int64_t msgpack_bytes(std::uint64_t length, bool is_hashed);
  std::int64_t text_hash(std::string_view text, TextForm form) const;

  bool is_over() const noexcept { return has_failed_ || is_found_; }
  std::int64_t fail() noexcept { return has_failed_ = true, 0; }
  char peek() noexcept;
  bool take(char expected) noexcept;
  std::uint64_t take_integer(std::size_t bytes) noexcept;
  std::string_view take_bytes(std::uint64_t length) noexcept;
  std::int64_t skip_word(std::string_view word, std::int64_t hash) noexcept;
  void add(std::int64_t hash, std::size_t begin) { items_.push_back({hash, message_.substr(begin, at_ - begin)}); }
  void judge(std::size_t first);

  std::string_view message_;
  TextForm texts_;
  bool checks_arrays_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool has_failed_ = false;
  bool is_found_ = false;
  /// The keys or elements of all open arrays and maps, the innermost last.
  std::vector<Item> items_;
  /// A string of JSON without its escapes.
  std::string text_;
};

}  // namespace trunkline::python
