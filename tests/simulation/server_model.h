// SPDX-License-Identifier: MIT
// ServerModel: serves the planned calls on a server session and checks all it is told.
#pragma once

#include "simulation/session_world.h"

#include <deque>
#include <map>

namespace trunkline::simulation {

class ServerModel {
 public:
  explicit ServerModel(SessionWorld& world);

  bool has_seen_closed() const noexcept { return closed_; }
  bool has_open_calls() const noexcept { return open_ > 0; }

 private:
  struct Call {
    const CallPlan* plan = nullptr;
    session::CallId id = 0;
    std::size_t received = 0;
    bool end_received = false;
    std::size_t sent = 0;
    bool ready = false;
    bool over = false;
    Status refusal{};  ///< not ok: what the session wants said when the call's turn comes
    bool was_served = true;
  };

  void on_event(session::Event& event);
  void on_call(session::Event& event);
  void on_refused(const CallPlan& plan, session::Event& event);
  void on_message(Call& call, session::Event& event);
  void on_cancelled(Call& call, const session::Event& event);
  void answer_at_once(const CallPlan& plan, session::Event& event);
  void take(Call& call, session::Event& event);
  void end(Call& call);
  void serve(Call& call);
  bool serve_one(Call& call);
  void finish(Call& call);
  session::Session& session() noexcept { return world_.pair.server().session(); }

  SessionWorld& world_;
  std::map<session::CallId, Call> calls_;
  std::deque<Call*> turns_;  ///< of an ordered connection
  std::size_t open_ = 0;
  bool closed_ = false;
  CallPlan unknown_;  ///< stands for a call that a spoilt byte has made
};

}  // namespace trunkline::simulation
