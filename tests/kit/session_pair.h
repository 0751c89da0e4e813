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
  };

  SessionPair() : SessionPair(Options{}) {}
  explicit SessionPair(const Options& options);

  SessionEnd& client() noexcept { return client_; }
  SessionEnd& server() noexcept { return server_; }
  SessionLink& to_server() noexcept { return to_server_; }
  SessionLink& to_client() noexcept { return to_client_; }
  ManualClock& clock() noexcept { return clock_; }

  /// How many bytes a read or write moves at most; asked anew for each. Without one: all there is.
  std::function<std::size_t()> next_size;
  /// A reader that is told not to read leaves its bytes in the link.
  bool client_reads = true;
  bool server_reads = true;

  /// Moves bytes and lets both take their turns until nothing is left to do at this moment.
  void settle();
  /// Time passes up to the next arrival or timer, but not past `limit`. False: nothing happens before it.
  bool step(base::TimePoint limit);
  /// settle() and step() until nothing happens within `time`.
  void run(base::Duration time);
  /// The connection breaks for both.
  void break_link();

 private:
  bool move(SessionEnd& from, SessionLink& link, SessionEnd& to, bool reads, bool& end_told);

  ManualClock clock_;
  base::TimerWheel timers_{clock_.now()};
  SessionEnd client_;
  SessionEnd server_;
  SessionLink to_server_;
  SessionLink to_client_;
  bool client_end_told_ = false;
  bool server_end_told_ = false;
};

}  // namespace trunkline::kit
