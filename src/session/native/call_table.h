// SPDX-License-Identifier: MIT
// CallTable: the open calls of a session by id.
#pragma once

#include "base/id_table.h"
#include "session/native/call_state.h"

namespace trunkline::session::native {

using CallTable = base::IdTable<CallState>;

}  // namespace trunkline::session::native
