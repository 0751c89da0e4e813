// SPDX-License-Identifier: MIT
// Encoder: turns fields into header blocks (RFC 7541, sections 6 and 7.1).
#pragma once

#include "http/hpack/dynamic_table.h"

#include <trunkline/slice.h>

#include <cstdint>
#include <string_view>

namespace trunkline::http::hpack {

/// The form in which a field that is in no table is written.
enum class Indexing : std::uint8_t {
  /// The field enters the table, unless it is larger than the table. It is right for what is repeated.
  index,
  /// The field does not enter the table. It is right for what changes with each block.
  without,
  /// The field is never taken from a table, and whoever passes it on must
  /// not compress it either. It is right for secrets (RFC 7541, section
  /// 7.1.3).
  never,
};

/// The encoder of one direction of a connection. A block is begin() and its fields in order. Blocks are sent in the
/// order in which they were encoded.
class Encoder {
 public:
  /// The table never becomes larger than this, whatever the peer allows; up to the peer's SETTINGS it has 4096 at most.
  explicit Encoder(std::uint32_t max_table_bytes = default_table_bytes) noexcept;

  /// Takes the peer's SETTINGS_HEADER_TABLE_SIZE. Must not be called within a block.
  void set_peer_max_table_bytes(std::uint32_t bytes) noexcept;

  /// Writes the size updates that are due (RFC 7541, section 4.2).
  void begin(BufferWriter& out);
  /// Appends the field. Neither name nor value may be a view of this encoder's table.
  void field(std::string_view name, std::string_view value, Indexing indexing, BufferWriter& out);

  /// Returns a number that changes with the table, and when a size update becomes due. A block may be sent again,
  /// without begin(), only while the revision is the one from before its begin().
  std::uint64_t revision() const noexcept { return revision_; }
  const DynamicTable& table() const noexcept { return table_; }

 private:
  static constexpr std::uint32_t default_table_bytes = 4096;

  /// The places of a field in the tables; 0: it is in none.
  struct Match {
    std::uint32_t field = 0;
    std::uint32_t name = 0;
  };
  static Match find_static(std::string_view name, std::string_view value) noexcept;
  void find_dynamic(std::string_view name, std::string_view value, std::uint32_t hash, Match& match) const noexcept;
  static void append_literal(std::uint32_t name_index, std::string_view name, std::string_view value, Indexing indexing,
                             BufferWriter& out);

  DynamicTable table_;
  std::uint32_t own_max_bytes_;
  std::uint32_t target_bytes_;
  // The least size since the last block, which the peer may wait for.
  std::uint32_t lowest_bytes_;
  std::uint64_t revision_ = 0;
};

}  // namespace trunkline::http::hpack
