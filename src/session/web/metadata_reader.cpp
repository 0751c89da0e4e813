// SPDX-License-Identifier: MIT
// Decodes and counts the entries of fields.
#include "session/web/metadata_reader.h"

#include "codec/base64.h"
#include "session/web/metadata_fields.h"
#include "wire/header_block.h"
#include "wire/shown_text.h"

#include <algorithm>
#include <string>

namespace trunkline::session::web {
namespace {

constexpr std::size_t field_overhead_bytes = 32;

Status read_failure(StatusCode code, std::string_view name, const std::string& reason) {
  std::string text = "read metadata: field ";
  text.append(wire::shown(name, wire::max_metadata_name_bytes)).append(" ").append(reason);
  return {code, text};
}

}  // namespace

Status MetadataReader::add(std::string_view name, std::string_view value, Metadata& out) {
  if (is_protocol_name(name)) return {};
  if (!Metadata::is_valid_name(name)) {
    return read_failure(StatusCode::internal, name, "has a name that is no token of at most 255 bytes");
  }
  return is_binary_name(name) ? add_binary(name, value, out) : add_entry(name, value, out);
}

Status MetadataReader::add_binary(std::string_view name, std::string_view value, Metadata& out) {
  for (bool is_last = false; !is_last;) {
    const std::size_t comma = std::min(value.find(','), value.size());
    std::string_view text = value.substr(0, comma);
    is_last = comma == value.size();
    value.remove_prefix(is_last ? comma : comma + 1);
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    room_.clear();
    if (!codec::append_decoded_base64(text, room_)) {
      return read_failure(StatusCode::internal, name, "has a value that is not base64");
    }
    if (Status status = add_entry(name, as_text(room_.bytes()), out); !status) return status;
  }
  return {};
}

Status MetadataReader::add_entry(std::string_view name, std::string_view value, Metadata& out) {
  list_bytes_ += name.size() + value.size() + field_overhead_bytes;
  if (list_bytes_ > max_list_bytes_) {
    return read_failure(StatusCode::resource_exhausted, name,
                        "exceeds the limit of " + std::to_string(max_list_bytes_) + " bytes of metadata");
  }
  out.add(name, value);
  return {};
}

}  // namespace trunkline::session::web
