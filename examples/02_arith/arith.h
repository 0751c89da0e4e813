// SPDX-License-Identifier: MIT
// example.Arith/Multiply(int32 a, int32 b) -> pro: pipelined calls.
#pragma once

#include <trunkline/channel.h>
#include <trunkline/server.h>

namespace example {

void add_arith(trunkline::Server& server);
bool call_arith(trunkline::Channel& channel);

}  // namespace example
