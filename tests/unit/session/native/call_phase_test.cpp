// SPDX-License-Identifier: MIT
// The table of call phases: every entry, and the effect of every entry in a live session.
#include "session/native/call_phase.h"

#include "kit/lone_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

namespace trunkline::session::native {
namespace {

using kit::LoneSession;
using namespace std::chrono_literals;

constexpr CallId id = 1;

/// Everything that can happen to a call: the inputs of the table, in its order, and those with one meaning in every
/// phase.
enum class Input {
  peer_message,
  peer_message_end,
  send,
  send_end,
  finish,
  cancel,
  peer_finish,
  peer_cancel,
  peer_credit,
  deadline,
  lost
};
constexpr int inputs = 11;

/// The effect of an input.
enum class Outcome { accept, discard, refuse_local, fail_call, fail_session };
struct Rule {
  Outcome outcome;
  CallPhase next;
};

/// The rules of docs/wire.md, section 6, in another form than the table.
Rule expected(Role role, CallPhase phase, Input input) {
  const bool peer_ended = phase == CallPhase::peer_ended || phase == CallPhase::both_ended;
  const bool local_ended = phase == CallPhase::local_ended || phase == CallPhase::both_ended;
  const bool closed = phase == CallPhase::closed;
  const bool is_message = input == Input::peer_message || input == Input::peer_message_end;
  const bool is_send = input == Input::send || input == Input::send_end;
  if (input == (role == Role::client ? Input::peer_cancel : Input::peer_finish))
    return {Outcome::fail_session, CallPhase::closed};
  if (input == (role == Role::client ? Input::finish : Input::cancel)) return {Outcome::refuse_local, phase};
  if (is_send && (closed || local_ended)) return {Outcome::refuse_local, phase};
  if (closed) return {Outcome::discard, phase};
  if (is_message && peer_ended) return {Outcome::fail_call, CallPhase::closed};
  switch (input) {
    case Input::peer_message_end:
      return {Outcome::accept, local_ended ? CallPhase::both_ended : CallPhase::peer_ended};
    case Input::send_end:
      return {Outcome::accept, peer_ended ? CallPhase::both_ended : CallPhase::local_ended};
    case Input::peer_message:
    case Input::peer_credit:
    case Input::send:
      return {Outcome::accept, phase};
    default:
      return {Outcome::accept, CallPhase::closed};
  }
}

class CallPhaseTable : public testing::TestWithParam<std::tuple<Role, int, int>> {
 protected:
  Role role() const { return std::get<0>(GetParam()); }
  CallPhase phase() const { return static_cast<CallPhase>(std::get<1>(GetParam())); }
  Input input() const { return static_cast<Input>(std::get<2>(GetParam())); }
};

/// Includes the inputs that are not in the table.
class CallPhases : public CallPhaseTable {};

TEST_P(CallPhaseTable, AgreesWithTheRules) {
  const CallTransition entry = transition(role(), phase(), static_cast<CallInput>(input()));
  const Rule rule = expected(role(), phase(), input());

  EXPECT_EQ(static_cast<int>(entry.action), static_cast<int>(rule.outcome));
  if (rule.outcome == Outcome::accept || rule.outcome == Outcome::refuse_local) {
    EXPECT_EQ(entry.next, rule.next);
  }
}

void bring_client_to(LoneSession& lone, CallPhase phase) {
  lone.greet();
  const bool ends = phase == CallPhase::local_ended || phase == CallPhase::both_ended;
  const CallStart start{.method = {1, "a/b"},
                        .deadline = lone.clock().now() + 5s,
                        .end = ends,
                        .context = lone.context_of(id),
                        .now = lone.clock().now()};
  ASSERT_TRUE(lone.session().start(start, kit::payload("x")).is_ok());
  if (phase == CallPhase::peer_ended || phase == CallPhase::both_ended)
    lone.feed({kit::message(id, "y", wire::flag::end)});
  if (phase == CallPhase::closed) lone.feed({kit::finish(id)});
}

void bring_server_to(LoneSession& lone, CallPhase phase) {
  lone.greet();
  kit::FrameSpec call = kit::call(id, 1, "a/b", "x");
  call.timeout_us = 5000000;
  if (phase != CallPhase::peer_ended && phase != CallPhase::both_ended) call.flags = wire::flag::message;
  lone.feed({call});
  if (phase == CallPhase::local_ended || phase == CallPhase::both_ended) {
    ASSERT_TRUE(lone.session().send(id, kit::payload("y"), nullptr, true).is_ok());
  }
  if (phase == CallPhase::closed) {
    ASSERT_TRUE(lone.session().finish(id, {}, {}, nullptr, false).is_ok());
  }
}

Status apply(LoneSession& lone, Input input) {
  switch (input) {
    case Input::peer_message:
      lone.feed({kit::message(id, "z")});
      break;
    case Input::peer_message_end:
      lone.feed({kit::message(id, "z", wire::flag::end)});
      break;
    case Input::peer_finish:
      lone.feed({kit::finish(id)});
      break;
    case Input::peer_cancel:
      lone.feed({kit::cancel(id)});
      break;
    case Input::peer_credit:
      lone.feed({kit::credit(id, 100)});
      break;
    case Input::send:
      return lone.session().send(id, kit::payload("z"), nullptr, false);
    case Input::send_end:
      return lone.session().send(id, kit::payload("z"), nullptr, true);
    case Input::finish:
      return lone.session().finish(id, {}, {}, nullptr, false);
    case Input::cancel:
      lone.session().cancel(id, StatusCode::cancelled);
      break;
    case Input::deadline:
      lone.advance(6s);
      break;
    case Input::lost:
      lone.session().transport_closed(Status(StatusCode::unavailable, "connection reset"));
      break;
  }
  return {};
}

/// What is visible from outside, one letter each: e(vent of the call), c(losed), o(pen for the session).
std::string outcome(LoneSession& lone) {
  std::string seen;
  for (const auto& event : lone.events()) {
    if (event.id == id && event.context != nullptr) seen += 'e';
  }
  if (lone.session().is_closed()) return seen + 'c';
  return lone.session().open_calls() == 1 ? seen + 'o' : seen;
}

std::string expected_outcome(Role role, Input input, const Rule& rule) {
  const bool was_open =
      rule.outcome != Outcome::discard && !(rule.outcome == Outcome::refuse_local && rule.next == CallPhase::closed);
  switch (rule.outcome) {
    case Outcome::fail_session:
      return was_open ? "ec" : "c";
    case Outcome::fail_call:
      return "e";
    case Outcome::discard:
      return input == Input::lost ? "c" : "";
    case Outcome::refuse_local:
      return was_open ? "o" : "";
    case Outcome::accept:
      break;
  }
  switch (input) {
    case Input::peer_message:
    case Input::peer_message_end:
      return "eo";
    case Input::peer_credit:
    case Input::send:
    case Input::send_end:
      return "o";
    case Input::finish:
    case Input::cancel:
      return "";
    case Input::lost:
      return "ec";
    default:
      static_cast<void>(role);
      return "e";
  }
}

TEST_P(CallPhases, LiveSessionFollowsTheTable) {
  LoneSession lone(role());
  role() == Role::client ? bring_client_to(lone, phase()) : bring_server_to(lone, phase());
  static_cast<void>(lone.events());
  const Rule rule = expected(role(), phase(), input());

  const Status status = apply(lone, input());

  std::string wanted = expected_outcome(role(), input(), rule);
  // A session that fails reports it to an open call; a call that is over gets no event.
  if (rule.outcome == Outcome::fail_session && phase() == CallPhase::closed) wanted = "c";
  EXPECT_EQ(outcome(lone), wanted);
  const bool is_send = input() == Input::send || input() == Input::send_end;
  if (is_send) {
    EXPECT_EQ(status.is_ok(), rule.outcome == Outcome::accept) << status.to_string();
  }
  if (is_send && phase() != CallPhase::closed && !status.is_ok()) {
    EXPECT_EQ(status.message(), "send message: this side of the call has ended");
  }
  if (is_send && phase() == CallPhase::closed) {
    EXPECT_EQ(status.message(), "send message: the call is over");
  }
}

std::string name_of(const testing::TestParamInfo<CallPhaseTable::ParamType>& info) {
  static const char* const phases[] = {"open", "local_ended", "peer_ended", "both_ended", "closed"};
  static const char* const names[] = {"peer_message", "peer_message_end", "send",        "send_end", "finish", "cancel",
                                      "peer_finish",  "peer_cancel",      "peer_credit", "deadline", "lost"};
  return std::string(std::get<0>(info.param) == Role::client ? "client_" : "server_") +
         phases[std::get<1>(info.param)] + "_" + names[std::get<2>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(All, CallPhaseTable,
                         testing::Combine(testing::Values(Role::client, Role::server), testing::Range(0, call_phases),
                                          testing::Range(0, static_cast<int>(call_inputs))),
                         name_of);
INSTANTIATE_TEST_SUITE_P(All, CallPhases,
                         testing::Combine(testing::Values(Role::client, Role::server), testing::Range(0, call_phases),
                                          testing::Range(0, inputs)),
                         name_of);

}  // namespace
}  // namespace trunkline::session::native
