// SPDX-License-Identifier: MIT
// read_fleet(): reads the servers and the service config that a JSON text lists.
#pragma once

#include <trunkline/resolver.h>

#include <string_view>

namespace trunkline::naming::file {

/// Reads an object with `servers`, an array of objects with either `uri` (of an endpoint) or `address` (HOST:PORT,
/// called by `server_scheme`), and if wanted `weight`, `zone`, `priority` and `host_name`; and if wanted
/// `service_config`, an object. Error: invalid_argument, with line and column of what is not JSON, or the path of what
/// is wrong, such as "servers[2].weight".
Result<Resolution> read_fleet(std::string_view text, std::string_view server_scheme);

}  // namespace trunkline::naming::file
