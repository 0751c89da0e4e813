// SPDX-License-Identifier: MIT
// Script replay: a conversation fed to one session in every way in which a transport may deliver it or fail.
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
  LoneSession::OnCall on_call = LoneSession::OnCall::attach;
};

/// The result of a replay, everything sent and every event, as text that can be compared.
std::string replay(const Script& script, std::size_t part = static_cast<std::size_t>(-1));

/// Replays it in one part, byte by byte, and split once at every byte of every step. All must have the same result.
/// Returns the first difference, empty if there is none.
std::string replay_split_everywhere(const Script& script);

/// Cuts the connection after every byte. Every attached call must get exactly one final event, and `closed` must come
/// last and once. Returns the first fault, empty if there is none.
std::string replay_cut_everywhere(const Script& script);

}  // namespace trunkline::kit
