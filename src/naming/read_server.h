// SPDX-License-Identifier: MIT
// read_server(): reads a server that a JSON object describes.
#pragma once

#include <trunkline/resolver.h>
#include <trunkline/value.h>

#include <string>
#include <string_view>

namespace trunkline::naming {

/// Reads `value`, an object with either `uri` (of an endpoint) or `address` (HOST:PORT, called by `server_scheme`), and
/// if wanted `weight`, `zone`, `priority` and `host_name`. `path` is its place, for errors; empty: it is the whole
/// text. Error: invalid_argument, with the path of what is wrong.
Status read_server(const Value& value, const std::string& path, std::string_view server_scheme, ResolvedServer& server);

}  // namespace trunkline::naming
