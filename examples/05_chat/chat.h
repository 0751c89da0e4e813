// SPDX-License-Identifier: MIT
// example.Chat: both sides talk when they like.
#pragma once

#include <trunkline/channel.h>
#include <trunkline/server.h>

namespace example {

void add_chat(trunkline::Server& server);
bool call_chat(trunkline::Channel& channel);

}  // namespace example
