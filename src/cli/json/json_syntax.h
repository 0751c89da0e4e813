// SPDX-License-Identifier: MIT
// check_json(): checks that a text is JSON.
#pragma once

#include "cli/json/json_sequence.h"

#include <trunkline/status.h>

namespace trunkline::cli::json {

/// Checks the text in linear time and builds no value. Error: invalid_argument with line, column and the reason; it
/// does not quote the text.
Status check_json(const JsonText& value);

}  // namespace trunkline::cli::json
