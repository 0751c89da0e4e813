// SPDX-License-Identifier: MIT
// Whether a text is JSON.
#pragma once

#include "cli/json_sequence.h"

#include <trunkline/status.h>

namespace trunkline::cli {

/// In time that grows with its length alone; nothing is built. Error: invalid_argument with line, column and what is
/// wrong; it does not quote the text.
Status check_json(const JsonText& value);

}  // namespace trunkline::cli
