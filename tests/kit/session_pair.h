// SPDX-License-Identifier: MIT
// SessionPair: a client and a server session over two links, in virtual time.
#pragma once

#include "kit/manual_clock.h"
#include "kit/session_end.h"
#include "kit/session_link.h"

#include <functional>

namespace trunkline::kit {

class SessionPair {
 public:
  struct Options {
    session::SessionOptions client = plain_options();
    session::SessionOptions server = plain_options();
    base::Duration latency{};
    std::size_t link_capacity = 256 * 1024;
    const session::Protocol* protocol = &session::native::protocol();
  };

  SessionPair() : SessionPair(Options{}) {}
  explicit SessionPair(const Options& options);

  SessionEnd& client() noexcept { return client_; }
  SessionEnd& server() noexcept { return server_; }
  SessionLink& to_server() noexcept { return to_server_; }
  SessionLink& to_client() noexcept { return to_client_; }
  ManualClock& clock() noexcept { return clock_; }

  /// The maximum number of bytes of a read or write; called for each. Null: no maximum.
  std::function<std::size_t()> next_size;
  /// A side that does not read leaves its bytes in the link.
  bool client_reads = true;
  bool server_reads = true;

  /// Moves bytes and runs both sides until there is nothing to do at this time.
  void settle();
  /// Advances the time to the next arrival or timer, but not past `limit`. False: there is none before `limit`.
  bool step(base::TimePoint limit);
  /// Calls settle() and step() until `time` has passed.
  void run(base::Duration time);
  /// The connection breaks for both sides.
  void break_link();

 private:
  bool move(SessionEnd& from, SessionLink& link, SessionEnd& to, bool reads, bool& end_seen);

  ManualClock clock_;
  base::TimerWheel timers_{clock_.now()};
  SessionEnd client_;
  SessionEnd server_;
  SessionLink to_server_;
  SessionLink to_client_;
  bool client_end_seen_ = false;
  bool server_end_seen_ = false;
};

}  // namespace trunkline::kit
