// SPDX-License-Identifier: MIT
// Compares origins, and writes the fields of CORS.
#include "session/web/cors.h"

#include "base/token.h"
#include "session/web/origin.h"

#include <algorithm>

namespace trunkline::session::web {
namespace {

/// Clients of Connect and gRPC-Web send these fields.
constexpr std::string_view request_headers =
    "content-type, connect-protocol-version, connect-timeout-ms, grpc-timeout, x-grpc-web, x-user-agent";
/// Pages may read these fields. Not all browsers take "*", which stands for metadata, and Connect's trailing metadata.
constexpr std::string_view response_headers = "grpc-status, grpc-message, grpc-status-details-bin, *";
/// Browsers may keep the answer for this many seconds. They cut the time to two hours, or less.
constexpr std::string_view max_age = "7200";

bool is_list_of_tokens(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(),
                     [](char letter) { return letter == ',' || letter == ' ' || base::is_token_character(letter); });
}

constexpr std::string_view allow_origin = "access-control-allow-origin";
constexpr std::string_view expose_headers = "access-control-expose-headers";

bool has(const Metadata* metadata, std::string_view name) {
  return metadata != nullptr && metadata->get(name).has_value();
}

}  // namespace

const std::string* find_cors_origin(std::string_view origin, const std::vector<std::string>& allowed) noexcept {
  const auto found = std::find_if(allowed.begin(), allowed.end(),
                                  [origin](std::string_view entry) { return entry == any_origin || entry == origin; });
  return found != allowed.end() ? &*found : nullptr;
}

void write_cors_fields(const std::string& allowed, const Metadata* leading, FieldSink& sink) {
  if (!has(leading, allow_origin)) sink.field(allow_origin, allowed, true);
  sink.field("vary", "origin", true);
  if (!has(leading, expose_headers)) sink.field(expose_headers, response_headers, true);
}

void write_preflight_fields(const std::string& allowed, std::string_view wanted, FieldSink& sink) {
  sink.field(allow_origin, allowed, true);
  sink.field("vary", "origin, access-control-request-headers", true);
  sink.field("access-control-allow-methods", "GET, POST", true);
  std::string headers(request_headers);
  if (!wanted.empty() && is_list_of_tokens(wanted)) headers.append(", ").append(wanted);
  sink.field("access-control-allow-headers", headers, false);
  sink.field("access-control-max-age", max_age, true);
}

}  // namespace trunkline::session::web
