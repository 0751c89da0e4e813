// SPDX-License-Identifier: MIT
// MetadataReader: turns the header fields of one block into metadata.
#pragma once

#include <trunkline/metadata.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstddef>
#include <string_view>

namespace trunkline::session::web {

/// Fields under binary names are decoded, and split at commas into entries of their own. Because a short field can thus
/// become many entries, they are counted as HTTP counts fields: name, value and 32 for each.
class MetadataReader {
 public:
  /// `max_list_bytes` limits a block, as MAX_HEADER_LIST_SIZE of the decoder does.
  explicit MetadataReader(std::size_t max_list_bytes) noexcept : max_list_bytes_(max_list_bytes) {}

  /// The next fields belong to another block.
  void begin() noexcept { list_bytes_ = 0; }
  /// Appends a field that keeps the rules of HTTP; one of the protocol's own (is_protocol_name()) is skipped. Errors:
  /// internal (a binary value is not base64, or the name has more than 255 bytes), resource_exhausted (the limit). Both
  /// name the field.
  Status add(std::string_view name, std::string_view value, Metadata& out);

 private:
  Status add_binary(std::string_view name, std::string_view value, Metadata& out);
  Status add_entry(std::string_view name, std::string_view value, Metadata& out);

  std::size_t max_list_bytes_;
  std::size_t list_bytes_ = 0;
  BufferWriter room_;
};

}  // namespace trunkline::session::web
