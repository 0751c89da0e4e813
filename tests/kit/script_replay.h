// SPDX-License-Identifier: MIT
// Script replay: a conversation fed to one session in every way a transport may deliver it, or fail to.
#pragma once

#include "kit/lone_session.h"

#include <functional>
#include <string>
#include <vector>

namespace trunkline::kit {

/// One step: bytes from the peer, and what the layer above does after its events.
struct ScriptStep {
  std::string bytes;
  std::function<void(LoneSession&)> act{};
};

struct Script {
  session::Role role = session::Role::server;
  session::SessionOptions options = plain_options();
  std::vector<ScriptStep> steps;
  LoneSession::Answer answer = LoneSession::Answer::keep;
};

/// What a replay came to: everything said and every event, as text that can be compared.
std::string replay(const Script& script, std::size_t piece = static_cast<std::size_t>(-1));

/// Replays it whole, in pieces of one byte, and split once at every byte of every step: all must come to the same.
/// Returns the first difference, empty if there is none.
std::string replay_split_everywhere(const Script& script);

/// Cuts the connection after every byte: every call kept open must be told of exactly once, `closed` must come last and
/// once. Returns the first fault, empty if there is none.
std::string replay_cut_everywhere(const Script& script);

}  // namespace trunkline::kit
