// SPDX-License-Identifier: MIT
// Says which pages of other origins may call this server from a browser, and writes the fields that tell the browser so
// (CORS, of the Fetch standard).
#pragma once

#include "session/web/field_sink.h"

#include <trunkline/metadata.h>

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::session::web {

/// Returns the entry of `allowed` (ServerOptions::cors_origins) that lets pages of `origin` call, or null if none does.
/// `origin` is the value of Origin, which browsers write in one form, so it is compared byte by byte.
const std::string* find_cors_origin(std::string_view origin, const std::vector<std::string>& allowed) noexcept;

/// Writes the fields of a response that pages of the entry `allowed` may read. Fields that the handler has set in
/// `leading`, which may be null, are left to it: browsers take no second answer.
void write_cors_fields(const std::string& allowed, const Metadata* leading, FieldSink& sink);

/// Writes the fields of the answer to a browser that asks before it sends a request (a preflight). `wanted` is the
/// value of Access-Control-Request-Headers: metadata has the application's names, so all that are tokens are allowed.
void write_preflight_fields(const std::string& allowed, std::string_view wanted, FieldSink& sink);

}  // namespace trunkline::session::web
