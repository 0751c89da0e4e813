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

/// Every protocol makes a session from these. All that is referenced outlives the session.
struct SessionParameters {
  Role role = Role::server;
  const SessionOptions& options;
  base::TimerWheel& timers;
  SessionOwner& owner;
  base::TimePoint now;
  /// The transport of a client is encrypted.
  bool is_encrypted = false;
  /// The account counts what the peer's address holds of options.memory; it is null if that is not counted.
  std::shared_ptr<MemoryAccount> account = nullptr;
};

/// Says whether the first bytes that a client has sent belong to a protocol.
enum class ProtocolMatch : std::uint8_t {
  no,
  /// Further bytes decide.
  undecided,
  yes,
};

/// Describes one protocol as a row of the table.
struct Protocol {
  /// The name is for logs and errors, and is unique within a table.
  std::string_view name;
  /// TLS negotiates the protocol by this name (ALPN, RFC 7301). If it is empty, only the first bytes tell.
  std::string_view alpn;
  /// The protocol has pings of its own. Without them the system has to ask whether a silent peer is still there.
  bool has_pings = true;
  /// `first_bytes` are all bytes that a client has sent so far, and may be empty. `no` and `yes` are final.
  ProtocolMatch (*match)(ByteSpan first_bytes) noexcept = nullptr;
  std::unique_ptr<Session> (*make_session)(const SessionParameters& parameters) = nullptr;
  /// A client's connection carries one call at a time, so that each call needs a connection of its own.
  bool has_one_call = false;
};

}  // namespace trunkline::session
