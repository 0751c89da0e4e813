// SPDX-License-Identifier: MIT
// The row of WebSocket in the table of protocols.
#pragma once

#include "session/protocol.h"

namespace trunkline::session::websocket {

const Protocol& protocol() noexcept;

}  // namespace trunkline::session::websocket
