// SPDX-License-Identifier: MIT
// example.Echo: one request, one response.
#pragma once

#include <trunkline/channel.h>
#include <trunkline/server.h>

namespace example {

void add_echo(trunkline::Server& server);
/// Calls it and checks the answers; true if they are right.
bool call_echo(trunkline::Channel& channel);

}  // namespace example
