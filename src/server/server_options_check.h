// SPDX-License-Identifier: MIT
// check_options(): refuses server options that are out of range.
#pragma once

#include <trunkline/server_options.h>

namespace trunkline::server {

/// Throws std::invalid_argument that names the first option that is out of range, its value and the range.
void check_options(const ServerOptions& options);

}  // namespace trunkline::server
