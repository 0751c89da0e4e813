// SPDX-License-Identifier: MIT
// Nghttp2Inflater and Nghttp2Deflater: nghttp2's HPACK, to compare with.
#pragma once

#include "unit/http/hpack/field_list.h"

#include <nghttp2/nghttp2.h>

#include <optional>
#include <stdexcept>

namespace trunkline::http::hpack {

inline std::string text_of(const std::uint8_t* bytes, std::size_t size) {
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

class Nghttp2Inflater {
 public:
  Nghttp2Inflater() {
    if (nghttp2_hd_inflate_new(&inflater_) != 0) throw std::bad_alloc();
  }
  ~Nghttp2Inflater() { nghttp2_hd_inflate_del(inflater_); }
  Nghttp2Inflater(const Nghttp2Inflater&) = delete;
  Nghttp2Inflater& operator=(const Nghttp2Inflater&) = delete;

  /// Nothing: the block is wrong.
  std::optional<FieldList> decode(ByteSpan block) {
    FieldList fields;
    const auto* at = reinterpret_cast<const std::uint8_t*>(block.data());
    std::size_t rest = block.size();
    for (;;) {
      nghttp2_nv field{};
      int flags = 0;
      const ssize_t taken = nghttp2_hd_inflate_hd2(inflater_, &field, &flags, at, rest, 1);
      if (taken < 0) return std::nullopt;
      at += taken;
      rest -= static_cast<std::size_t>(taken);
      if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
        fields.push_back({text_of(field.name, field.namelen), text_of(field.value, field.valuelen),
                          (field.flags & NGHTTP2_NV_FLAG_NO_INDEX) != 0});
      }
      if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
      if ((flags & NGHTTP2_HD_INFLATE_EMIT) == 0 && rest == 0) break;
    }
    nghttp2_hd_inflate_end_headers(inflater_);
    return fields;
  }
  void set_max_table_bytes(std::uint32_t bytes) {
    if (nghttp2_hd_inflate_change_table_size(inflater_, bytes) != 0) throw std::logic_error("table size");
  }
  /// From the newest to the oldest.
  FieldList table() {
    FieldList fields;
    for (std::size_t index = static_table_size + 1; index <= nghttp2_hd_inflate_get_num_table_entries(inflater_);
         ++index) {
      const nghttp2_nv* field = nghttp2_hd_inflate_get_table_entry(inflater_, index);
      fields.push_back({text_of(field->name, field->namelen), text_of(field->value, field->valuelen)});
    }
    return fields;
  }
  std::size_t table_bytes() { return nghttp2_hd_inflate_get_dynamic_table_size(inflater_); }

 private:
  nghttp2_hd_inflater* inflater_ = nullptr;
};

class Nghttp2Deflater {
 public:
  Nghttp2Deflater() {
    constexpr std::size_t max_table_bytes = 65536;
    if (nghttp2_hd_deflate_new(&deflater_, max_table_bytes) != 0) throw std::bad_alloc();
    set_max_table_bytes(4096);
  }
  ~Nghttp2Deflater() { nghttp2_hd_deflate_del(deflater_); }
  Nghttp2Deflater(const Nghttp2Deflater&) = delete;
  Nghttp2Deflater& operator=(const Nghttp2Deflater&) = delete;

  std::vector<std::byte> encode(const FieldList& fields) {
    std::vector<nghttp2_nv> list;
    for (const TextField& field : fields) {
      // The library takes pointers to what it does not change.
      const auto bytes = [](const std::string& text) {
        return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
      };
      const auto flags =
          static_cast<std::uint8_t>(field.is_sensitive ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE);
      list.push_back({bytes(field.name), bytes(field.value), field.name.size(), field.value.size(), flags});
    }
    std::vector<std::byte> block(nghttp2_hd_deflate_bound(deflater_, list.data(), list.size()));
    const ssize_t size = nghttp2_hd_deflate_hd(deflater_, reinterpret_cast<std::uint8_t*>(block.data()), block.size(),
                                               list.data(), list.size());
    if (size < 0) throw std::logic_error("deflate");
    block.resize(static_cast<std::size_t>(size));
    return block;
  }
  void set_max_table_bytes(std::uint32_t bytes) {
    if (nghttp2_hd_deflate_change_table_size(deflater_, bytes) != 0) throw std::bad_alloc();
  }

 private:
  nghttp2_hd_deflater* deflater_ = nullptr;
};

}  // namespace trunkline::http::hpack
