// SPDX-License-Identifier: MIT
// Writes Connect's JSON.
#include "session/web/connect_error.h"

#include "codec/base64.h"
#include "codec/json_text.h"
#include "session/web/metadata_fields.h"
#include "wire/text.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::session::web {
namespace {

void append_text(std::string_view text, BufferWriter& out) {
  std::string utf8(text.size(), '\0');
  wire::copy_as_utf8(text, reinterpret_cast<std::byte*>(utf8.data()));
  codec::append_json_text(utf8, out);
}

void append_details(const Status& status, BufferWriter& out) {
  out.append(",\"details\":[");
  bool is_first = true;
  for (const StatusDetail& detail : status.details()) {
    if (!std::exchange(is_first, false)) out.append(",");
    std::string_view type = detail.type_url;
    if (const std::size_t slash = type.rfind('/'); slash != type.npos) type.remove_prefix(slash + 1);
    out.append("{\"type\":");
    append_text(type, out);
    out.append(",\"value\":\"");
    codec::append_unpadded_base64(as_bytes(detail.value), out);
    out.append("\"}");
  }
  out.append("]");
}

/// Appends metadata so that the values of a name stand together.
void append_metadata(const Metadata& metadata, BufferWriter& out) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : metadata) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  BufferWriter room;
  out.append("{");
  for (const std::string_view& name : names) {
    if (&name != &names.front()) out.append(",");
    append_text(name, out);
    out.append(":[");
    bool is_first = true;
    for (const std::string_view value : metadata.get_all(name)) {
      if (!std::exchange(is_first, false)) out.append(",");
      append_text(field_value(name, value, room), out);
    }
    out.append("]");
  }
  out.append("}");
}

}  // namespace

std::string_view connect_code_of(StatusCode code) noexcept {
  return code == StatusCode::cancelled ? "canceled" : to_string(code);
}

void append_connect_error(const Status& status, BufferWriter& out) {
  out.append("{\"code\":\"");
  out.append(connect_code_of(status.code()));
  out.append("\"");
  if (!status.message().empty()) {
    out.append(",\"message\":");
    append_text(status.message(), out);
  }
  if (!status.details().empty()) append_details(status, out);
  out.append("}");
}

void append_end_of_stream(const Status& status, const Metadata* trailing, BufferWriter& out) {
  const bool has_metadata = trailing != nullptr && !trailing->empty();
  out.append("{");
  if (!status.is_ok()) {
    out.append("\"error\":");
    append_connect_error(status, out);
    if (has_metadata) out.append(",");
  }
  if (has_metadata) {
    out.append("\"metadata\":");
    append_metadata(*trailing, out);
  }
  out.append("}");
}

}  // namespace trunkline::session::web
