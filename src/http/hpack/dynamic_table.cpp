// SPDX-License-Identifier: MIT
// DynamicTable: eviction, and the buffer of the text.
#include "http/hpack/dynamic_table.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>

namespace trunkline::http::hpack {
namespace {

constexpr std::size_t first_text_capacity = 256;
constexpr std::size_t first_entry_count = 8;

void copy(char* to, std::string_view name, std::string_view value) noexcept {
  if (!name.empty()) std::memcpy(to, name.data(), name.size());
  if (!value.empty()) std::memcpy(to + name.size(), value.data(), value.size());
}

}  // namespace

DynamicTable::Entry* DynamicTable::insert(std::string_view name, std::string_view value, std::uint8_t name_id,
                                          std::uint8_t kind) {
  const std::uint64_t needed = std::uint64_t{name.size()} + value.size() + field_overhead;
  if (needed > max_bytes_) {
    clear();
    return nullptr;
  }
  evict_beyond(max_bytes_ - static_cast<std::uint32_t>(needed));
  if (size() == entries_.size()) grow_entries();
  const std::uint32_t at = text_end_;
  write(name, value);
  bytes_ += static_cast<std::uint32_t>(needed);
  Entry& entry = entries_[next_++ & mask_];
  entry = {};
  entry.at_ = at;
  entry.name_size = static_cast<std::uint32_t>(name.size());
  entry.value_size = static_cast<std::uint32_t>(value.size());
  entry.name_id = name_id;
  entry.kind = kind;
  return &entry;
}

void DynamicTable::set_max_bytes(std::uint32_t max_bytes) noexcept {
  max_bytes_ = max_bytes;
  evict_beyond(max_bytes);
}

void DynamicTable::clear() noexcept { evict_beyond(0); }

void DynamicTable::evict_beyond(std::uint32_t bytes) noexcept {
  while (bytes_ > bytes) {
    const Entry& oldest = entries_[first_++ & mask_];
    bytes_ -= oldest.name_size + oldest.value_size + field_overhead;
  }
}

void DynamicTable::write(std::string_view name, std::string_view value) {
  const std::size_t size = name.size() + value.size();
  if (text_end_ - text_start_ + size > text_capacity_) {
    const std::uint32_t live_start = this->size() > 0 ? (*this)[this->size() - 1].at_ : text_end_;
    const char* live_text = text_.get() + (live_start - text_start_);
    const std::size_t live = text_end_ - live_start;
    // If half of the buffer is free, the text moves at most once for as many bytes inserted.
    if (2 * (live + size) <= text_capacity_) {
      const char* start = text_.get();
      const bool is_inside =
          std::less_equal<>()(start, name.data()) && std::less<>()(name.data(), start + text_capacity_);
      const std::string name_copy(is_inside ? name : std::string_view());
      std::memmove(text_.get(), live_text, live);
      copy(text_.get() + live, is_inside ? std::string_view(name_copy) : name, value);
    } else {
      const std::size_t capacity = std::max(first_text_capacity, 2 * (live + size));
      std::unique_ptr<char[]> moved(new char[capacity]);
      if (live > 0) std::memcpy(moved.get(), live_text, live);
      copy(moved.get() + live, name, value);
      text_ = std::move(moved);
      text_capacity_ = capacity;
    }
    text_start_ = live_start;
  } else {
    copy(text_.get() + (text_end_ - text_start_), name, value);
  }
  text_end_ += static_cast<std::uint32_t>(size);
}

void DynamicTable::grow_entries() {
  std::vector<Entry> grown(std::max(first_entry_count, 2 * entries_.size()));
  const auto grown_mask = static_cast<std::uint32_t>(grown.size() - 1);
  for (std::uint32_t number = first_; number != next_; ++number) grown[number & grown_mask] = entries_[number & mask_];
  entries_ = std::move(grown);
  mask_ = grown_mask;
}

}  // namespace trunkline::http::hpack
