// SPDX-License-Identifier: MIT
// Declares the row of WebSocket in the table of protocols.
#pragma once

#include "session/protocol.h"

namespace trunkline::session::websocket {

const Protocol& protocol() noexcept;

}  // namespace trunkline::session::websocket
