// SPDX-License-Identifier: MIT
// Decoder: the representations of fields (RFC 7541, section 6), and the limits of a block.
#include "http/hpack/decoder.h"
#include "http/hpack/huffman.h"
#include "http/hpack/integer.h"

#include <algorithm>

namespace trunkline::http::hpack {
namespace {

// These are the first bits of the representations, and the numbers of bits of the integers behind them.
constexpr std::uint8_t indexed = 0x80;
constexpr std::uint8_t literal_indexed = 0x40;
constexpr std::uint8_t size_update = 0x20;
constexpr std::uint8_t never_indexed = 0x10;
constexpr unsigned indexed_bits = 7;
constexpr std::uint32_t indexed_limit = (1U << indexed_bits) - 1;
constexpr unsigned literal_indexed_bits = 6;
constexpr unsigned size_update_bits = 5;
constexpr unsigned literal_bits = 4;
constexpr std::uint8_t huffman = 0x80;
constexpr unsigned string_bits = 7;

// The cache of literals numbers names: by an index of the static table, or by an id behind these.
constexpr std::uint16_t first_id_number = static_table_size;

}  // namespace

Decoder::Decoder(const NameIds& ids, DecoderLimits limits)
    : ids_(&ids),
      table_(limits.max_table_bytes),
      max_list_bytes_(limits.max_list_bytes),
      announced_table_bytes_(limits.max_table_bytes),
      lowest_table_bytes_(limits.max_table_bytes) {}

void Decoder::begin(ByteSpan block) noexcept {
  if (error_ != DecodeError::none) return;
  at_ = block.data();
  end_ = block.data() + block.size();
  list_bytes_ = 0;
  is_too_large_ = false;
  had_size_update_ = false;
  phase_ = needs_size_update_ ? Phase::size_update : Phase::field_or_size_update;
}

Decoder::Step Decoder::next(Field& field) {
  while (at_ != end_) {
    const auto first = std::to_integer<std::uint8_t>(*at_);
    if ((first & indexed) != 0) {
      if (read_indexed(first, field)) return Step::field;
    } else if ((first & 0xE0) == size_update) {
      read_size_update();
    } else if (first < never_indexed && read_repeated(first, field)) {
      if (is_counted(field)) return Step::field;
    } else if (read_literal(field)) {
      return Step::field;
    }
  }
  return finish();
}

Decoder::Step Decoder::skip_rest() {
  Field dropped;
  Step step = next(dropped);
  while (step == Step::field) step = next(dropped);
  return step;
}

void Decoder::set_max_table_bytes(std::uint32_t bytes) noexcept {
  announced_table_bytes_ = bytes;
  lowest_table_bytes_ = std::min(lowest_table_bytes_, bytes);
  if (bytes < table_.max_bytes()) {
    needs_size_update_ = true;
    table_.set_max_bytes(bytes);
  }
  if (!needs_size_update_) lowest_table_bytes_ = bytes;
}

Decoder::Step Decoder::finish() noexcept {
  // A block without a field has to begin with the size update too.
  if (error_ == DecodeError::none && phase_ == Phase::size_update) fail(DecodeError::missing_size_update);
  if (error_ != DecodeError::none) return Step::error;
  return is_too_large_ ? Step::end_too_large : Step::end;
}

void Decoder::fail(DecodeError error) noexcept {
  error_ = error;
  at_ = end_;
}

bool Decoder::begin_field() noexcept {
  if (phase_ == Phase::size_update) return fail(DecodeError::missing_size_update), false;
  phase_ = Phase::field;
  return true;
}

bool Decoder::read_integer(unsigned prefix_bits, std::uint32_t& value) noexcept {
  const IntegerResult result = hpack::read_integer(at_, end_, prefix_bits, value);
  if (result == IntegerResult::complete) [[likely]]
    return true;
  fail(result == IntegerResult::truncated ? DecodeError::truncated : DecodeError::integer_overflow);
  return false;
}

// Each reader of a field returns false after an error, and for a field that is dropped.

bool Decoder::read_indexed(std::uint8_t first, Field& field) noexcept {
  if (phase_ != Phase::field && !begin_field()) return false;
  std::uint32_t index = first & ~indexed;
  if (index < indexed_limit) {
    ++at_;
  } else if (!read_integer(indexed_bits, index)) {
    return false;
  }
  field.is_sensitive = false;
  if (index > static_table_size) {
    index -= static_table_size + 1;
    if (index >= table_.size()) return fail(DecodeError::bad_index), false;
    DynamicTable::Entry& entry = table_[index];
    field.name = table_.name(entry);
    field.value = table_.value(entry);
    field.memo = &entry.memo;
    field.name_id = entry.name_id;
    field.kind = entry.kind;
    return is_counted(field);
  }
  if (index == 0) return fail(DecodeError::bad_index), false;
  field.name = static_table[index].name;
  field.value = static_table[index].value;
  field.memo = &static_memos_[index];
  field.name_id = ids_->static_id(index);
  field.kind = ids_->static_kind(index);
  return is_counted(field);
}

void Decoder::read_size_update() noexcept {
  std::uint32_t bytes = 0;
  if (phase_ == Phase::field) return fail(DecodeError::late_size_update);
  if (!read_integer(size_update_bits, bytes)) return;
  if (bytes > lowest_table_bytes_) return fail(DecodeError::excessive_size_update);
  needs_size_update_ = false;
  had_size_update_ = true;
  phase_ = Phase::field_or_size_update;
  lowest_table_bytes_ = announced_table_bytes_;
  table_.set_max_bytes(bytes);
}

// Reads a literal that is in the cache, has a name of the static table, and lengths of one byte. It finds what
// read_literal() would find, in fewer steps. It returns false and changes nothing for any other literal.
bool Decoder::read_repeated(std::uint8_t first, Field& field) noexcept {
  if (phase_ == Phase::size_update || end_ - at_ < 3) return false;
  const std::byte* at = at_ + 1;
  std::uint32_t index = first;
  constexpr std::uint32_t limit = (1U << literal_bits) - 1;
  if (index == limit) index += std::to_integer<std::uint32_t>(*at++);
  if (index == 0 || index > static_table_size) return false;
  constexpr std::size_t longest = (1U << string_bits) - 2;
  const std::size_t size = std::to_integer<std::size_t>(*at) & ~huffman;
  if (size > longest || static_cast<std::size_t>(end_ - at) < size + 1) return false;
  LiteralCache::Slot* slot = cache_.find(static_cast<std::uint16_t>(index), {at, size + 1});
  if (slot == nullptr) return false;
  set(field, {static_table[index].name, ids_->static_id(index), 0}, *slot);
  field.is_sensitive = false;
  phase_ = Phase::field;
  at_ = at + size + 1;
  return true;
}

bool Decoder::read_literal(Field& field) {
  const auto first = std::to_integer<std::uint8_t>(*at_);
  const bool is_indexed = (first & literal_indexed) != 0;
  if (phase_ != Phase::field && !begin_field()) return false;
  std::uint32_t index = 0;
  Name name;
  bool is_too_long = false;
  if (!read_integer(is_indexed ? literal_indexed_bits : literal_bits, index)) return false;
  if (!read_name(index, name, is_too_long)) return false;
  Literal literal;
  if (!take_literal(literal)) return false;

  field.is_sensitive = !is_indexed && (first & never_indexed) != 0;
  const bool may_be_cached = !is_indexed && !field.is_sensitive && name.number != 0;
  if (may_be_cached) {
    if (LiteralCache::Slot* slot = cache_.find(name.number, literal.whole)) {
      set(field, name, *slot);
      return is_counted(field);
    }
  }

  std::string_view value;
  const Text result = decode(literal, value_room_, value);
  if (result == Text::error) return false;
  if (is_too_long || result == Text::too_long) {
    // The text is longer than either limit, so it has no room in the table, nor in the list.
    if (is_indexed) table_.clear();
    is_too_large_ = true;
    return false;
  }
  field.name = name.text;
  field.value = value;
  field.name_id = name.id;
  field.kind = ids_->classify(name.text, value);
  if (is_indexed) {
    if (DynamicTable::Entry* entry = table_.insert(name.text, value, name.id, field.kind)) {
      field.name = table_.name(*entry);
      field.value = table_.value(*entry);
      field.memo = &entry->memo;
      return is_counted(field);
    }
  } else if (may_be_cached && LiteralCache::can_hold(literal.whole.size(), value.size())) {
    set(field, name, cache_.insert(name.number, literal.whole, value, field.kind));
    return is_counted(field);
  }
  no_memo_ = 0;
  field.memo = &no_memo_;
  return is_counted(field);
}

bool Decoder::read_name(std::uint32_t index, Name& name, bool& is_too_long) {
  if (index == 0) {
    Literal literal;
    if (!take_literal(literal)) return false;
    const Text result = decode(literal, name_room_, name.text);
    is_too_long = result == Text::too_long;
    if (result == Text::complete) name.id = ids_->find(name.text);
    if (name.id != 0) name.number = first_id_number + name.id;
    return result != Text::error;
  }
  if (index <= static_table_size) {
    name = {static_table[index].name, ids_->static_id(index), static_cast<std::uint16_t>(index)};
    return true;
  }
  index -= static_table_size + 1;
  if (index >= table_.size()) return fail(DecodeError::bad_index), false;
  const DynamicTable::Entry& entry = table_[index];
  name.text = table_.name(entry);
  name.id = entry.name_id;
  if (name.id != 0) name.number = first_id_number + name.id;
  return true;
}

bool Decoder::take_literal(Literal& literal) noexcept {
  const std::byte* start = at_;
  std::uint32_t size = 0;
  if (at_ == end_) return fail(DecodeError::truncated), false;
  literal.is_huffman = (std::to_integer<std::uint8_t>(*at_) & huffman) != 0;
  if (!read_integer(string_bits, size)) return false;
  if (size > static_cast<std::size_t>(end_ - at_)) return fail(DecodeError::truncated), false;
  literal.bytes = {at_, size};
  at_ += size;
  literal.whole = {start, at_};
  return true;
}

Decoder::Text Decoder::decode(const Literal& literal, std::vector<char>& room, std::string_view& text) {
  const std::size_t longest = std::max(max_list_bytes_, announced_table_bytes_);
  if (!literal.is_huffman) {
    if (literal.bytes.size() > longest) return Text::too_long;
    text = as_text(literal.bytes);
    return Text::complete;
  }
  const std::size_t needed = std::min(max_decoded_bytes(literal.bytes.size()), longest);
  if (room.size() < needed) room.resize(needed);
  std::size_t size = 0;
  const HuffmanResult result = decode_huffman(literal.bytes, {room.data(), std::min(room.size(), longest)}, size);
  if (result == HuffmanResult::malformed) return fail(DecodeError::bad_huffman), Text::error;
  if (result == HuffmanResult::too_long) return Text::too_long;
  text = {room.data(), size};
  return Text::complete;
}

void Decoder::set(Field& field, const Name& name, LiteralCache::Slot& slot) noexcept {
  field.name = name.text;
  field.value = slot.value();
  field.memo = &slot.memo;
  field.name_id = name.id;
  field.kind = slot.kind;
}

bool Decoder::is_counted(const Field& field) noexcept {
  list_bytes_ += field.name.size() + field.value.size() + DynamicTable::field_overhead;
  if (list_bytes_ > max_list_bytes_) is_too_large_ = true;
  return !is_too_large_;
}

}  // namespace trunkline::http::hpack
