// SPDX-License-Identifier: MIT
// The call table: every entry, and every entry's effect in a live session.
#include "session/call_phase.h"

#include "kit/lone_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

namespace trunkline::session {
namespace {

using kit::LoneSession;
using namespace std::chrono_literals;

constexpr CallId id = 1;

/// The rules of docs/wire.md, section 6, said once more in another form than the table's.
CallTransition expected(Role role, CallPhase phase, CallInput input) {
  const bool peer_ended = phase == CallPhase::peer_ended || phase == CallPhase::both_ended;
  const bool local_ended = phase == CallPhase::local_ended || phase == CallPhase::both_ended;
  const bool closed = phase == CallPhase::closed;
  const bool is_message = input == CallInput::peer_message || input == CallInput::peer_message_end;
  const bool is_send = input == CallInput::send || input == CallInput::send_end;
  if (input == (role == Role::client ? CallInput::peer_cancel : CallInput::peer_finish))
    return {CallAction::fail_session, CallPhase::closed};
  if (input == (role == Role::client ? CallInput::finish : CallInput::cancel)) return {CallAction::refuse_local, phase};
  if (is_send && (closed || local_ended)) return {CallAction::refuse_local, phase};
  if (closed) return {CallAction::discard, phase};
  if (is_message && peer_ended) return {CallAction::fail_call, CallPhase::closed};
  switch (input) {
    case CallInput::peer_message_end:
      return {CallAction::accept, local_ended ? CallPhase::both_ended : CallPhase::peer_ended};
    case CallInput::send_end:
      return {CallAction::accept, peer_ended ? CallPhase::both_ended : CallPhase::local_ended};
    case CallInput::peer_message:
    case CallInput::peer_credit:
    case CallInput::send:
      return {CallAction::accept, phase};
    default:
      return {CallAction::accept, CallPhase::closed};
  }
}

class CallPhases : public testing::TestWithParam<std::tuple<Role, int, int>> {
 protected:
  Role role() const { return std::get<0>(GetParam()); }
  CallPhase phase() const { return static_cast<CallPhase>(std::get<1>(GetParam())); }
  CallInput input() const { return static_cast<CallInput>(std::get<2>(GetParam())); }
};

TEST_P(CallPhases, TableSaysWhatTheRulesSay) {
  const CallTransition entry = transition(role(), phase(), input());
  const CallTransition rule = expected(role(), phase(), input());

  EXPECT_EQ(entry.action, rule.action);
  if (rule.action == CallAction::accept || rule.action == CallAction::refuse_local) {
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

Status apply(LoneSession& lone, CallInput input) {
  switch (input) {
    case CallInput::peer_message:
      lone.feed({kit::message(id, "z")});
      break;
    case CallInput::peer_message_end:
      lone.feed({kit::message(id, "z", wire::flag::end)});
      break;
    case CallInput::peer_finish:
      lone.feed({kit::finish(id)});
      break;
    case CallInput::peer_cancel:
      lone.feed({kit::cancel(id)});
      break;
    case CallInput::peer_credit:
      lone.feed({kit::credit(id, 100)});
      break;
    case CallInput::send:
      return lone.session().send(id, kit::payload("z"), nullptr, false);
    case CallInput::send_end:
      return lone.session().send(id, kit::payload("z"), nullptr, true);
    case CallInput::finish:
      return lone.session().finish(id, {}, {}, nullptr, false);
    case CallInput::cancel:
      lone.session().cancel(id, StatusCode::cancelled);
      break;
    case CallInput::deadline:
      lone.advance(6s);
      break;
    case CallInput::lost:
      lone.session().transport_closed(Status(StatusCode::unavailable, "connection reset"));
      break;
  }
  return {};
}

/// What can be seen from outside, one letter each: e(vent of the call), c(losed), o(pen for the session).
std::string outcome(LoneSession& lone) {
  std::string seen;
  for (const auto& event : lone.events()) {
    if (event.id == id && event.context != nullptr) seen += 'e';
  }
  if (lone.session().is_closed()) return seen + 'c';
  return lone.session().open_calls() == 1 ? seen + 'o' : seen;
}

std::string expected_outcome(Role role, CallInput input, const CallTransition& rule) {
  const bool was_open = rule.action != CallAction::discard &&
                        !(rule.action == CallAction::refuse_local && rule.next == CallPhase::closed);
  switch (rule.action) {
    case CallAction::fail_session:
      return was_open ? "ec" : "c";
    case CallAction::fail_call:
      return "e";
    case CallAction::discard:
      return input == CallInput::lost ? "c" : "";
    case CallAction::refuse_local:
      return was_open ? "o" : "";
    case CallAction::accept:
      break;
  }
  switch (input) {
    case CallInput::peer_message:
    case CallInput::peer_message_end:
      return "eo";
    case CallInput::peer_credit:
    case CallInput::send:
    case CallInput::send_end:
      return "o";
    case CallInput::finish:
    case CallInput::cancel:
      return "";
    case CallInput::lost:
      return "ec";
    default:
      static_cast<void>(role);
      return "e";
  }
}

TEST_P(CallPhases, LiveSessionDoesWhatTheTableSays) {
  LoneSession lone(role());
  role() == Role::client ? bring_client_to(lone, phase()) : bring_server_to(lone, phase());
  static_cast<void>(lone.events());
  const CallTransition rule = expected(role(), phase(), input());

  const Status status = apply(lone, input());

  std::string wanted = expected_outcome(role(), input(), rule);
  // A session that fails tells an open call; one that is over already has nobody to tell.
  if (rule.action == CallAction::fail_session && phase() == CallPhase::closed) wanted = "c";
  EXPECT_EQ(outcome(lone), wanted);
  const bool is_send = input() == CallInput::send || input() == CallInput::send_end;
  if (is_send) {
    EXPECT_EQ(status.is_ok(), rule.action == CallAction::accept) << status.to_string();
  }
  if (is_send && phase() != CallPhase::closed && !status.is_ok()) {
    EXPECT_EQ(status.message(), "send message: this side of the call has ended");
  }
  if (is_send && phase() == CallPhase::closed) {
    EXPECT_EQ(status.message(), "send message: the call is over");
  }
}

std::string name_of(const testing::TestParamInfo<CallPhases::ParamType>& info) {
  static const char* const phases[] = {"open", "local_ended", "peer_ended", "both_ended", "closed"};
  static const char* const inputs[] = {"peer_message", "peer_message_end", "peer_finish", "peer_cancel", "peer_credit",
                                       "send",         "send_end",         "finish",      "cancel",      "deadline",
                                       "lost"};
  return std::string(std::get<0>(info.param) == Role::client ? "client_" : "server_") +
         phases[std::get<1>(info.param)] + "_" + inputs[std::get<2>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(All, CallPhases,
                         testing::Combine(testing::Values(Role::client, Role::server), testing::Range(0, call_phases),
                                          testing::Range(0, call_inputs)),
                         name_of);

}  // namespace
}  // namespace trunkline::session
