// SPDX-License-Identifier: MIT
// What the programs of examples 06 to 09 have in common: either side alone, or both in one process.
#pragma once

#include <trunkline/server.h>

#include <functional>
#include <string>
#include <vector>

namespace example {

/// Arguments `serve ENDPOINT`: prints "listening on ENDPOINT", serves until SIGINT or SIGTERM, drains. `call ENDPOINT`:
/// calls. None: serves `endpoint` in this process and calls it. Returns the program's exit code: 0 if all went well.
int run_sides(const std::vector<std::string>& arguments, trunkline::Server& server, const std::string& endpoint,
              const std::function<bool(const std::string& endpoint)>& call);

}  // namespace example
