// SPDX-License-Identifier: MIT
// ServerModel: serves the planned calls on a server session and checks every event.
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
    /// Not ok: the session has refused the call; it is finished with this in its turn.
    Status refusal{};
    bool was_served = true;
  };

  void on_event(session::Event& event);
  void on_call(session::Event& event);
  void on_refused(const CallPlan& plan, session::Event& event);
  void on_message(Call& call, session::Event& event);
  void on_cancelled(Call& call, const session::Event& event);
  void finish_at_once(const CallPlan& plan, session::Event& event);
  void take(Call& call, session::Event& event);
  void end(Call& call);
  void serve(Call& call);
  bool serve_one(Call& call);
  void finish(Call& call);
  session::Session& session() noexcept { return world_.pair.server().session(); }

  SessionWorld& world_;
  std::map<session::CallId, Call> calls_;
  /// Calls of an ordered connection, in order.
  std::deque<Call*> turns_;
  std::size_t open_ = 0;
  bool closed_ = false;
  /// The plan of a call that a corrupt byte has created.
  CallPlan unknown_;
};

}  // namespace trunkline::simulation
