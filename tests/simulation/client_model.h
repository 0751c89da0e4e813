// SPDX-License-Identifier: MIT
// ClientModel: makes the planned calls on a client session and checks every event.
#pragma once

#include "simulation/session_world.h"

#include <deque>
#include <vector>

namespace trunkline::simulation {

class ClientModel {
 public:
  explicit ClientModel(SessionWorld& world);

  /// Every call has ended or can no longer start.
  bool is_done() const noexcept;
  bool has_seen_closed() const noexcept { return closed_; }
  /// Names a call that has not ended.
  std::string unfinished() const;
  void drain();

 private:
  struct Call {
    const CallPlan* plan = nullptr;
    session::CallId id = 0;
    bool waits = false;
    bool started = false;
    bool before_hello = false;
    bool over = false;
    std::size_t sent = 0;
    bool end_sent = false;
    std::size_t received = 0;
  };

  void on_event(session::Event& event);
  void on_message(Call& call, session::Event& event);
  void on_finished(Call& call, session::Event& event);
  void check_order(const Call& call);
  void check_outcome(const Call& call, const session::Event& event);
  void start_waiting();
  void start(Call& call);
  void send_more(Call& call);
  void hold(Call& call, session::Event& event);
  session::Session& session() noexcept { return world_.pair.client().session(); }

  SessionWorld& world_;
  std::deque<Call> calls_;
  std::deque<Call*> waiting_;
  bool may_start_ = true;
  bool leaving_ = false;
  bool closed_ = false;
  session::CallId last_finished_ = 0;
};

}  // namespace trunkline::simulation
