// SPDX-License-Identifier: MIT
// Encoder: chooses the representation of a field, and writes its bytes.
#include "http/hpack/encoder.h"
#include "http/hpack/huffman.h"
#include "http/hpack/integer.h"
#include "http/hpack/static_table.h"

#include <algorithm>
#include <functional>

namespace trunkline::http::hpack {
namespace {

/// The first bits of a literal, and the number of bits of the integer behind them.
struct LiteralForm {
  std::uint8_t pattern;
  unsigned bits;
};

constexpr LiteralForm form_of(Indexing indexing) noexcept {
  switch (indexing) {
    case Indexing::index:
      return {0x40, 6};
    case Indexing::without:
      return {0x00, 4};
    case Indexing::never:
      break;
  }
  return {0x10, 4};
}

constexpr std::uint8_t indexed_pattern = 0x80;
constexpr unsigned indexed_bits = 7;
constexpr std::uint8_t size_update_pattern = 0x20;
constexpr unsigned size_update_bits = 5;
constexpr std::uint8_t huffman_pattern = 0x80;
constexpr unsigned string_bits = 7;

void append_integer(std::uint32_t value, unsigned prefix_bits, std::uint8_t pattern, BufferWriter& out) {
  std::byte* start = out.prepare(max_integer_bytes).data();
  out.advance(static_cast<std::size_t>(write_integer(value, prefix_bits, pattern, start) - start));
}

/// Writes a string, Huffman-coded if that is shorter. `out` has room for max_integer_bytes and the text.
std::byte* write_string(std::string_view text, std::byte* out) noexcept {
  const std::size_t coded = huffman_size(text);
  if (coded < text.size()) {
    return encode_huffman(text, write_integer(static_cast<std::uint32_t>(coded), string_bits, huffman_pattern, out));
  }
  out = write_integer(static_cast<std::uint32_t>(text.size()), string_bits, 0, out);
  if (!text.empty()) std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

/// Returns a hash that the memo of an entry keeps, so that a search compares text only where it is likely equal.
std::uint32_t hash_of(std::string_view name, std::string_view value) noexcept {
  const std::hash<std::string_view> hash;
  return static_cast<std::uint32_t>(hash(name) * 31 + hash(value));
}

}  // namespace

Encoder::Encoder(std::uint32_t max_table_bytes) noexcept
    : table_(default_table_bytes),
      own_max_bytes_(max_table_bytes),
      target_bytes_(std::min(max_table_bytes, default_table_bytes)),
      lowest_bytes_(target_bytes_) {}

void Encoder::set_peer_max_table_bytes(std::uint32_t bytes) noexcept {
  const std::uint32_t target = std::min(bytes, own_max_bytes_);
  if (target == target_bytes_) return;
  target_bytes_ = target;
  lowest_bytes_ = std::min(lowest_bytes_, target);
  ++revision_;
}

void Encoder::begin(BufferWriter& out) {
  if (target_bytes_ == table_.max_bytes() && lowest_bytes_ == target_bytes_) [[likely]]
    return;
  for (const std::uint32_t bytes : {lowest_bytes_, target_bytes_}) {
    if (bytes == table_.max_bytes()) continue;
    append_integer(bytes, size_update_bits, size_update_pattern, out);
    table_.set_max_bytes(bytes);
  }
  lowest_bytes_ = target_bytes_;
  ++revision_;
}

void Encoder::field(std::string_view name, std::string_view value, Indexing indexing, BufferWriter& out) {
  Match match = find_static(name, value);
  std::uint32_t hash = 0;
  if (match.field == 0 && (table_.size() > 0 || indexing == Indexing::index)) {
    hash = hash_of(name, value);
    find_dynamic(name, value, hash, match);
  }
  if (match.field != 0 && indexing != Indexing::never) {
    append_integer(match.field, indexed_bits, indexed_pattern, out);
    return;
  }
  const std::size_t size = name.size() + value.size() + DynamicTable::field_overhead;
  if (indexing == Indexing::index && size > table_.max_bytes()) indexing = Indexing::without;
  append_literal(match.name, name, value, indexing, out);
  if (indexing != Indexing::index) return;
  table_.insert(name, value, 0, 0)->memo = hash;
  ++revision_;
}

Encoder::Match Encoder::find_static(std::string_view name, std::string_view value) noexcept {
  Match match;
  match.name = find_static_name(name);
  if (match.name == 0) return match;
  for (std::uint32_t index = match.name; index <= static_table_size; ++index) {
    const StaticField& field = static_table[index];
    if (field.name != name) break;
    if (field.value != value) continue;
    match.field = index;
    break;
  }
  return match;
}

void Encoder::find_dynamic(std::string_view name, std::string_view value, std::uint32_t hash,
                           Match& match) const noexcept {
  for (std::uint32_t index = 0; index < table_.size(); ++index) {
    const DynamicTable::Entry& entry = table_[index];
    const bool is_likely = entry.memo == hash && entry.value_size == value.size();
    if (!is_likely && (match.name != 0 || entry.name_size != name.size())) continue;
    if (table_.name(entry) != name) continue;
    if (match.name == 0) match.name = static_table_size + 1 + index;
    if (is_likely && table_.value(entry) == value) {
      match.field = static_table_size + 1 + index;
      return;
    }
  }
}

void Encoder::append_literal(std::uint32_t name_index, std::string_view name, std::string_view value, Indexing indexing,
                             BufferWriter& out) {
  const LiteralForm form = form_of(indexing);
  std::byte* const start = out.prepare(3 * max_integer_bytes + name.size() + value.size()).data();
  std::byte* at = write_integer(name_index, form.bits, form.pattern, start);
  if (name_index == 0) at = write_string(name, at);
  at = write_string(value, at);
  out.advance(static_cast<std::size_t>(at - start));
}

}  // namespace trunkline::http::hpack
