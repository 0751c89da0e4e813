// SPDX-License-Identifier: MIT
// example.Countdown: one request, a stream of responses.
#pragma once

#include <trunkline/channel.h>
#include <trunkline/server.h>

namespace example {

void add_countdown(trunkline::Server& server);
bool call_countdown(trunkline::Channel& channel);

}  // namespace example
