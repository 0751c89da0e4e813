// SPDX-License-Identifier: MIT
// Decoder: turns header blocks into fields (RFC 7541, sections 3 and 6).
#pragma once

#include "http/hpack/decode_error.h"
#include "http/hpack/dynamic_table.h"
#include "http/hpack/literal_cache.h"
#include "http/hpack/name_ids.h"
#include "http/hpack/static_table.h"

#include <trunkline/slice.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace trunkline::http::hpack {

/// A decoded field. Its views and the memo are valid until the decoder is used again.
struct Field {
  std::string_view name;
  std::string_view value;
  /// A word that the user may set, and finds again when the peer repeats the field from a table or the cache of
  /// literals; 0 before. Never null.
  std::uint32_t* memo = nullptr;
  /// The id that NameIds gives to the name; 0 for a name without one.
  std::uint8_t name_id = 0;
  std::uint8_t kind = 0;
  /// The peer forbids that it is ever compressed by a table (RFC 7541, section 7.1.3).
  bool is_sensitive = false;
};

struct DecoderLimits {
  /// The size of the dynamic table, as SETTINGS_HEADER_TABLE_SIZE announces it; 4096 before it is announced.
  std::uint32_t max_table_bytes = 4096;
  /// The size of a decoded list, as SETTINGS_MAX_HEADER_LIST_SIZE counts it (RFC 9113, section 6.5.2): each field
  /// counts its name, its value and 32 bytes.
  std::uint32_t max_list_bytes = 16384;
};

/// The decoder of one direction of a connection. It holds, beside the table and the cache, one name and one value; each
/// is at most as long as the greater one of both limits.
class Decoder {
 public:
  enum class Step : std::uint8_t {
    /// The next field has been decoded.
    field,
    /// The block is at its end.
    end,
    /// The block is at its end, but the list exceeds max_list_bytes: the fields from there on were dropped. The table
    /// is in step, so the connection can go on.
    end_too_large,
    /// error() says why. The decoder is of no further use.
    error,
  };

  /// Makes a decoder. `ids` must outlive it.
  explicit Decoder(const NameIds& ids, DecoderLimits limits = {});

  /// Begins a whole block, which must outlive its decoding. The block before it has been read to its end.
  void begin(ByteSpan block) noexcept;
  /// Decodes the next field. After the end or an error it returns the same step again.
  Step next(Field& field);
  /// Decodes the rest of the block, so that the table remains in step, and drops its fields. Never returns `field`.
  Step skip_rest();

  DecodeError error() const noexcept { return error_; }
  /// Returns true if the next block may begin with a field. If it is false, a field at the beginning is an error.
  bool accepts_fields() const noexcept { return error_ == DecodeError::none && !needs_size_update_; }
  /// Returns true if the last block had a size update.
  bool had_size_update() const noexcept { return had_size_update_; }
  /// Takes the SETTINGS_HEADER_TABLE_SIZE that the peer has acknowledged. If the table must become smaller, the next
  /// block has to begin with a size update. Must not be called while a block is read.
  void set_max_table_bytes(std::uint32_t bytes) noexcept;
  const DynamicTable& table() const noexcept { return table_; }

 private:
  /// A string literal that is still encoded.
  struct Literal {
    /// The encoded string with its length.
    ByteSpan whole;
    ByteSpan bytes;
    bool is_huffman = false;
  };
  struct Name {
    std::string_view text;
    std::uint8_t id = 0;
    /// The number of the name in the cache of literals; 0: it has no number that stays the same.
    std::uint16_t number = 0;
  };
  enum class Text : std::uint8_t { complete, too_long, error };
  /// The items with which a block may go on.
  enum class Phase : std::uint8_t { field, field_or_size_update, size_update };

  Step finish() noexcept;
  void fail(DecodeError error) noexcept;
  bool begin_field() noexcept;
  bool read_integer(unsigned prefix_bits, std::uint32_t& value) noexcept;
  bool read_indexed(std::uint8_t first, Field& field) noexcept;
  bool read_repeated(std::uint8_t first, Field& field) noexcept;
  void read_size_update() noexcept;
  bool read_literal(Field& field);
  bool read_name(std::uint32_t index, Name& name, bool& is_too_long);
  bool take_literal(Literal& literal) noexcept;
  Text decode(const Literal& literal, std::vector<char>& room, std::string_view& text);
  void set(Field& field, const Name& name, LiteralCache::Slot& slot) noexcept;
  bool is_counted(const Field& field) noexcept;

  const NameIds* ids_;
  DynamicTable table_;
  LiteralCache cache_;
  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
  std::uint64_t list_bytes_ = 0;
  std::uint32_t max_list_bytes_;
  std::uint32_t announced_table_bytes_;
  bool had_size_update_ = false;
  // The least maximum since the last block, which the next size update must not exceed.
  std::uint32_t lowest_table_bytes_;
  std::uint32_t no_memo_ = 0;
  DecodeError error_ = DecodeError::none;
  Phase phase_ = Phase::field;
  bool needs_size_update_ = false;
  bool is_too_large_ = false;
  std::array<std::uint32_t, static_table_size + 1> static_memos_{};
  std::vector<char> name_room_;
  std::vector<char> value_room_;
};

}  // namespace trunkline::http::hpack
