// SPDX-License-Identifier: MIT
// Whether a text is JSON, and the parsed value.
#pragma once

#include "cli/json_sequence.h"

#include <trunkline/result.h>

#include <nlohmann/json.hpp>

namespace trunkline::cli {

/// Members keep their order. Error: invalid_argument with line, column and what is wrong; it does not quote the text.
Result<nlohmann::ordered_json> parse_json(const JsonText& value);

}  // namespace trunkline::cli
