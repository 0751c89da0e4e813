// SPDX-License-Identifier: MIT
// The table of connection phases: every entry, and the effect of every reachable entry in a live session.
#include "session/native/connection_phase.h"

#include "kit/lone_session.h"

#include <gtest/gtest.h>

#include <tuple>

namespace trunkline::session::native {
namespace {

using kit::LoneSession;
using namespace std::chrono_literals;
using A = ConnectionAction;
using P = ConnectionPhase;
using I = ConnectionInput;

ConnectionTransition expected(P phase, I input) {
  if (phase == P::closed) return {A::ignore, P::closed};
  if (input == I::close || input == I::transport_lost) return {A::finish, P::closed};
  const bool handshaking = phase == P::preface || phase == P::hello;
  switch (input) {
    case I::good_preface:
      return phase == P::preface ? ConnectionTransition{A::proceed, P::hello}
                                 : ConnectionTransition{A::fail, P::closed};
    case I::bad_preface:
      return {A::fail, P::closed};
    case I::hello_frame:
      return phase == P::hello ? ConnectionTransition{A::proceed, P::open} : ConnectionTransition{A::fail, P::closed};
    case I::call_frame:
    case I::ping_frame:
      return handshaking ? ConnectionTransition{A::fail, P::closed} : ConnectionTransition{A::proceed, phase};
    case I::goaway_frame:
      if (phase == P::preface) return {A::fail, P::closed};
      return phase == P::hello ? ConnectionTransition{A::finish, P::closed}
                               : ConnectionTransition{A::proceed, P::draining};
    case I::drain:
      return {A::proceed, handshaking ? phase : P::draining};
    case I::keepalive_timeout:
      return handshaking ? ConnectionTransition{A::ignore, phase} : ConnectionTransition{A::fail, P::closed};
    default:
      return {A::ignore, phase};
  }
}

class ConnectionPhases : public testing::TestWithParam<std::tuple<Role, int, int>> {
 protected:
  Role role() const { return std::get<0>(GetParam()); }
  P phase() const { return static_cast<P>(std::get<1>(GetParam())); }
  I input() const { return static_cast<I>(std::get<2>(GetParam())); }
};

TEST_P(ConnectionPhases, TableAgreesWithTheRules) {
  const ConnectionTransition entry = transition(phase(), input());
  const ConnectionTransition rule = expected(phase(), input());

  EXPECT_EQ(entry.action, rule.action);
  EXPECT_EQ(entry.next, rule.next);
}

void bring_to(LoneSession& lone, P phase) {
  if (phase == P::hello) lone.feed(kit::preface());
  if (phase == P::open || phase == P::draining || phase == P::closed) lone.greet();
  if (phase == P::draining) lone.session().drain();
  if (phase == P::closed) lone.session().close({});
  static_cast<void>(lone.events());
}

/// False: the input cannot occur in this phase; only the table has it.
bool apply(LoneSession& lone, Role role, P phase, I input) {
  switch (input) {
    case I::good_preface:
      if (phase != P::preface) return false;
      lone.feed(kit::preface());
      return true;
    case I::bad_preface:
      if (phase != P::preface) return false;
      lone.feed("x");
      return true;
    case I::hello_frame:
      if (phase == P::preface) return false;
      lone.feed(kit::hello({}));
      return true;
    case I::call_frame:
      if (phase == P::preface) return false;
      lone.feed({kit::credit(0, 1)});
      return true;
    case I::ping_frame:
      if (phase == P::preface) return false;
      lone.feed({kit::ping()});
      return true;
    case I::goaway_frame:
      if (phase == P::preface) return false;
      lone.feed({kit::goaway(0)});
      return true;
    case I::drain:
      lone.session().drain();
      return true;
    case I::close:
      lone.session().close({});
      return true;
    case I::transport_lost:
      lone.session().transport_closed({});
      return true;
    case I::keepalive_timeout:
      // Time enough for the ping and its pong.
      lone.advance(50s);
      lone.advance(50s);
      static_cast<void>(role);
      return true;
  }
  return false;
}

TEST_P(ConnectionPhases, LiveSessionFollowsTheTable) {
  SessionOptions options = kit::plain_options();
  if (input() == I::keepalive_timeout) {
    options.limits.keepalive_interval = 40s;
    options.limits.keepalive_timeout = 20s;
    options.limits.keepalive_while_idle = true;
  }
  LoneSession lone(role(), options);
  bring_to(lone, phase());
  const ConnectionTransition rule = expected(phase(), input());

  if (!apply(lone, role(), phase(), input())) return;

  EXPECT_EQ(lone.session().is_closed(), rule.next == P::closed);
  const bool closes_now = rule.next == P::closed && phase() != P::closed;
  const auto events = lone.events();
  EXPECT_EQ(!events.empty() && events.back().type == EventType::closed, closes_now);
  if (rule.action == A::fail) {
    EXPECT_FALSE(lone.session().close_reason().is_ok());
  }
  if (rule.action == A::proceed && rule.next == P::open) {
    EXPECT_TRUE(lone.session().is_open());
  }
  if (rule.action == A::proceed && rule.next == P::draining) {
    static_cast<void>(lone.sent_frames());
    EXPECT_TRUE(lone.session().is_drained());
  }
}

std::string name_of(const testing::TestParamInfo<ConnectionPhases::ParamType>& info) {
  static const char* const phases[] = {"preface", "hello", "open", "draining", "closed"};
  static const char* const inputs[] = {"good_preface",   "bad_preface",      "hello_frame", "call_frame",
                                       "ping_frame",     "goaway_frame",     "drain",       "close",
                                       "transport_lost", "keepalive_timeout"};
  return std::string(std::get<0>(info.param) == Role::client ? "client_" : "server_") +
         phases[std::get<1>(info.param)] + "_" + inputs[std::get<2>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(All, ConnectionPhases,
                         testing::Combine(testing::Values(Role::client, Role::server),
                                          testing::Range(0, connection_phases), testing::Range(0, connection_inputs)),
                         name_of);

}  // namespace
}  // namespace trunkline::session::native
