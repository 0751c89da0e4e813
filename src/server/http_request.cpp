// SPDX-License-Identifier: MIT
// HttpRequest: takes requests apart.
#include <trunkline/http_request.h>

#include "session/web/method_path.h"
#include "session/web/percent_encoding.h"
#include "session/web/route_fields.h"

#include <algorithm>
#include <utility>

namespace trunkline {
namespace {

/// Decodes a text that is encoded as forms are.
std::string decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const int byte = text.front() == '%' ? session::web::percent_encoded_byte(text) : -1;
    if (byte >= 0) {
      out.push_back(static_cast<char>(byte));
      text.remove_prefix(3);
      continue;
    }
    out.push_back(text.front() == '+' ? ' ' : text.front());
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace

HttpRequest::HttpRequest(std::string_view route, const Metadata& headers, Slice body)
    : headers_(headers), body_(std::move(body)) {
  const std::string_view line = headers.get(session::web::request_line_name).value_or(std::string_view());
  const std::size_t space = std::min(line.find(' '), line.size());
  method_ = line.substr(0, space);
  const std::string_view target = line.substr(std::min(space + 1, line.size()));
  const std::size_t question = std::min(target.find('?'), target.size());
  query_ = target.substr(std::min(question + 1, target.size()));
  const std::string_view path = target.substr(0, question);
  BufferWriter text;
  const bool is_plain = path.find('%') == path.npos || !session::web::append_decoded_path(path, text);
  path_ = is_plain ? path : as_text(text.bytes());
  rest_ = path_.size();
  if (route.empty() || route.back() != '*') return;
  const std::size_t prefix = route.size() - 1 - std::min(route.find(' ') + 1, route.size() - 1);
  rest_ = std::min(prefix, path_.size());
}

std::optional<std::string> HttpRequest::query_value(std::string_view name) const {
  std::vector<std::string> values = query_values(name);
  if (values.empty()) return std::nullopt;
  return std::move(values.front());
}

std::vector<std::string> HttpRequest::query_values(std::string_view name) const {
  std::vector<std::string> values;
  for (std::string_view rest = query_; !rest.empty();) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (pair.empty() || decoded(pair.substr(0, equals)) != name) continue;
    values.push_back(decoded(pair.substr(std::min(equals + 1, pair.size()))));
  }
  return values;
}

std::string_view HttpRequest::header(std::string_view name) const noexcept {
  return headers_.get(name).value_or(std::string_view());
}

}  // namespace trunkline
