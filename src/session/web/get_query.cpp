// SPDX-License-Identifier: MIT
// Reads queries.
#include "session/web/get_query.h"

#include "codec/base64.h"
#include "session/web/percent_encoding.h"

#include <algorithm>
#include <utility>

namespace trunkline::session::web {
namespace {

/// Decodes a text as forms are encoded: '+' is a space. Returns false for a '%' without two digits.
bool decode(std::string_view text, std::string& out) {
  out.clear();
  while (!text.empty()) {
    if (text.front() == '%') {
      const int byte = percent_encoded_byte(text);
      if (byte < 0) return false;
      out.push_back(static_cast<char>(byte));
      text.remove_prefix(3);
      continue;
    }
    out.push_back(text.front() == '+' ? ' ' : text.front());
    text.remove_prefix(1);
  }
  return true;
}

/// Decodes base64 of RFC 4648, section 5, with and without padding. The alphabet of section 4 is taken too, but '+' is
/// a space in a query.
bool decode_url_base64(std::string text, BufferWriter& out) {
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  return codec::append_decoded_base64(text, out);
}

}  // namespace

std::optional<GetQuery> read_get_query(std::string_view query, std::string_view& reason) {
  GetQuery out;
  std::optional<std::string> message;
  bool is_base64 = false;
  std::string name;
  std::string value;
  // A parameter may not come twice: a cache or filter before the server might look at the other value.
  bool has_connect = false;
  bool has_encoding = false;
  bool has_compression = false;
  bool has_base64 = false;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (!decode(pair.substr(0, equals), name) || !decode(pair.substr(std::min(equals + 1, pair.size())), value)) {
      reason = "the query has a '%' without two digits";
      return std::nullopt;
    }
    bool was_there = false;
    if (name == "connect") {
      was_there = std::exchange(has_connect, true);
      out.is_connect = value == "v1";
      if (!out.is_connect) {
        reason = "the query has another connect than v1";
        return std::nullopt;
      }
    } else if (name == "encoding") {
      was_there = std::exchange(has_encoding, true);
      out.encoding = value;
    } else if (name == "compression") {
      was_there = std::exchange(has_compression, true);
      out.compression = value;
    } else if (name == "base64") {
      was_there = std::exchange(has_base64, true);
      is_base64 = value == "1";
    } else if (name == "message") {
      was_there = message.has_value();
      message = value;
    }
    if (was_there) {
      reason = "the query has a parameter of the call twice";
      return std::nullopt;
    }
  }
  if (!message) return out;
  BufferWriter bytes;
  if (!is_base64) {
    bytes.append(*message);
  } else if (!decode_url_base64(*message, bytes)) {
    reason = "the message in the query is not base64";
    return std::nullopt;
  }
  out.message = bytes.take();
  return out;
}

}  // namespace trunkline::session::web
