// SPDX-License-Identifier: MIT
// Reads and checks the metadata of routes.
#include "session/web/route_fields.h"

#include "http/http1/head_writer.h"
#include "http/http1/message_fields.h"

#include <charconv>
#include <string>

namespace trunkline::session::web {
namespace {

constexpr std::uint32_t least_status = 200;
constexpr std::uint32_t most_status = 599;

/// Reads a status of HTTP. Returns 0 if it is none that can be sent.
std::uint32_t parse_status(std::string_view text) noexcept {
  std::uint32_t status = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), status);
  if (text.size() != 3 || error != std::errc() || stop != text.data() + text.size()) return 0;
  return status >= least_status && status <= most_status ? status : 0;
}

Status refusal(std::string_view name, std::string_view reason) {
  std::string text = "send response: the header ";
  text.append(name).append(" ").append(reason);
  return {StatusCode::internal, text};
}

}  // namespace

void add_request_field(std::string_view name, std::string_view value, Metadata& out) {
  if (is_runtime_name(name) || !Metadata::is_valid_name(name)) return;
  if (name == "cookie") {
    if (const auto first = out.get(name)) return out.set(name, std::string(*first).append("; ").append(value));
  }
  out.add(name, value);
}

std::uint32_t http_status_in(const Metadata* leading) noexcept {
  constexpr std::uint32_t usual = 200;
  if (leading == nullptr) return usual;
  const auto text = leading->get(http_status_name);
  const std::uint32_t status = text ? parse_status(*text) : usual;
  return status != 0 ? status : usual;
}

Status check_route_response(const Metadata& leading) {
  for (const auto& [name, value] : leading) {
    if (name == http_status_name) {
      if (parse_status(value) != 0) continue;
      return {StatusCode::internal, "send response: the status is not one of 200 to 599"};
    }
    if (is_runtime_name(name) || http::http1::is_connection_field(name)) {
      return refusal(name, "is not the handler's to set");
    }
    if (!http::http1::is_sendable_field(name, value)) {
      return refusal(name, "has control characters in its value, or a blank at one of its ends");
    }
  }
  return {};
}

}  // namespace trunkline::session::web
