// SPDX-License-Identifier: MIT
// Reads the lines of trailers.
#include "session/web/trailers_text.h"

#include "base/token.h"
#include "codec/base64.h"
#include "session/web/percent_encoding.h"
#include "session/web/repeated_status.h"
#include "session/web/status_fields.h"

#include <trunkline/slice.h>

#include <algorithm>
#include <string>

namespace trunkline::session::web {
namespace {

/// Takes the first line from the front of `text`, and returns it without its end.
std::string_view take_line(std::string_view& text) noexcept {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

Status read_trailers_text(std::string_view text, MetadataReader& reader, TrailersText& out) {
  std::string code;
  std::string name;
  BufferWriter message;
  BufferWriter details;
  bool has_code = false;
  reader.begin();
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty()) continue;
    const std::size_t colon = line.find(':');
    if (colon == line.npos || colon == 0) {
      return {StatusCode::internal, "receive trailers: a line has no name and colon", StatusOrigin::transport};
    }
    name.assign(base::trim_blanks(line.substr(0, colon)));
    std::transform(name.begin(), name.end(), name.begin(), base::ascii_lower);
    const std::string_view value = base::trim_blanks(line.substr(colon + 1));
    if (name == status_field_name) {
      if (has_code && value != code) return differing_codes(code, value);
      has_code = true;
      code.assign(value);
    } else if (name == message_field_name) {
      message.clear();
      append_percent_decoded(value, message);
    } else if (name == details_field_name) {
      details.clear();
      static_cast<void>(codec::append_decoded_base64(value, details));
    } else if (name == pushback_field_name) {
      out.pushback = read_pushback(value);
    } else if (Status status = reader.add(name, value, out.metadata); !status.is_ok()) {
      return status;
    }
  }
  if (!has_code) return {StatusCode::internal, "receive trailers: no grpc-status", StatusOrigin::transport};
  out.outcome = read_status_fields(code, message.bytes(), details.bytes());
  return {};
}

}  // namespace trunkline::session::web
