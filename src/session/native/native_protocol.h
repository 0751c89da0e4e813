// SPDX-License-Identifier: MIT
// Declares the native protocol's row in the table of protocols.
#pragma once

#include "session/protocol.h"

namespace trunkline::session::native {

const Protocol& protocol() noexcept;

}  // namespace trunkline::session::native
