// SPDX-License-Identifier: MIT
// Protocol: one row of the table of protocols - how a connection of the protocol is recognised, and how its session is
// made.
#pragma once

#include "base/clock.h"
#include "base/timer_wheel.h"
#include "session/memory_account.h"
#include "session/session.h"
#include "session/session_options.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace trunkline::session {

/// What every protocol makes a session from. All that is referenced outlives the session.
struct SessionParameters {
  Role role = Role::server;
  const SessionOptions& options;
  base::TimerWheel& timers;
  SessionOwner& owner;
  base::TimePoint now;
  /// Clients: the transport is encrypted.
  bool is_encrypted = false;
  /// What the peer's address holds of options.memory. Null: it is not counted.
  std::shared_ptr<MemoryAccount> account = nullptr;
};

/// Whether the first bytes that a client has sent belong to a protocol.
enum class ProtocolMatch : std::uint8_t {
  no,
  /// Further bytes decide.
  undecided,
  yes,
};

/// One row of the table.
struct Protocol {
  /// For logs and errors. Unique within a table.
  std::string_view name;
  /// The name by which TLS negotiates it (ALPN, RFC 7301); empty: by its first bytes alone.
  std::string_view alpn;
  /// Without pings of its own, the system has to ask whether a peer that is silent is still there.
  bool has_pings = true;
  /// `first_bytes` are all bytes that a client has sent so far; may be empty. `no` and `yes` are final.
  ProtocolMatch (*match)(ByteSpan first_bytes) noexcept = nullptr;
  std::unique_ptr<Session> (*make_session)(const SessionParameters& parameters) = nullptr;
  /// Clients: a connection carries one call at a time, so calls need connections of their own.
  bool has_one_call = false;
};

}  // namespace trunkline::session
