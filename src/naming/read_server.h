// SPDX-License-Identifier: MIT
// read_server: a server as a JSON object describes it.
#pragma once

#include <trunkline/resolver.h>
#include <trunkline/value.h>

#include <string>
#include <string_view>

namespace trunkline::naming {

/// `value`: an object with either `uri` (of an endpoint) or `address` (HOST:PORT, called by `server_scheme`), and if
/// wanted `weight`, `zone`, `priority` and `host_name`. `path`: where it stands, for errors; empty: it is the whole
/// text. Error: invalid_argument, with the path of what is wrong.
Status read_server(const Value& value, const std::string& path, std::string_view server_scheme, ResolvedServer& server);

}  // namespace trunkline::naming
