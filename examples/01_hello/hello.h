// SPDX-License-Identifier: MIT
// example.Hello: one request, one response.
#pragma once

#include <trunkline/channel.h>
#include <trunkline/server.h>

namespace example {

void add_hello(trunkline::Server& server);
/// Calls it and checks the answers; true if they are right.
bool call_hello(trunkline::Channel& channel);

}  // namespace example
