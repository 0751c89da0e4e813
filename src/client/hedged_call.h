// SPDX-License-Identifier: MIT
// HedgedCall: one unary call that may be sent to several servers, until the first of them has answered.
#pragma once

#include "base/timer_wheel.h"
#include "client/attempt.h"
#include "client/call_details.h"
#include "client/channel_lifecycle.h"
#include "client/client_connection.h"
#include "client/connection_invoker.h"
#include "client/ended_calls.h"
#include "client/retry_policy.h"
#include "client/service_rules.h"

#include <trunkline/detail/call_operation.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>

namespace trunkline::client {

/// A call of which every attempt is a CallOperation of its own, which shares the response object of the call. Only the
/// attempt that wins may have written it last: once a response has come, the other attempts are cancelled before
/// anything else happens. The outcome goes to the operation of the call, exactly once. The details of the call own it.
/// Only the loop's thread uses it.
class HedgedCall {
 public:
  struct Parts {
    net::Loop& loop;
    const ChannelLifecycle& lifecycle;
    ConnectionInvoker& invoker;
    ServiceRules& rules;
    RetryPolicy& retry;
    EndedCalls& ended;
  };

  /// Makes the call. `rules` must have a HedgePolicy.
  HedgedCall(const Parts& parts, CallDetails& details, const MethodRules& rules);
  ~HedgedCall();
  HedgedCall(const HedgedCall&) = delete;
  HedgedCall& operator=(const HedgedCall&) = delete;

  /// Sends the first attempt. The call may end here.
  void begin();
  /// Cancels all attempts; the caller ends the call. Returns true if one of them had been sent.
  bool abandon();

  // --- from the connections ---

  void response_begun(const detail::CallOperation& attempt, const Metadata& leading);
  /// Takes the response of `attempt`, which has come ahead of its status. The attempt is the one that counts now.
  void response_received(const detail::CallOperation& attempt);
  void attempt_finished(detail::CallOperation& attempt, session::Event& event, const ClientConnection& connection);

 private:
  class Sending final : public Attempt {
   public:
    enum class State : std::uint8_t { waiting, open, over };

    Sending(HedgedCall& call, int number);
    Status start_on(ClientConnection& connection) override;
    void fail(Status status) override { call_.not_sent(*this, std::move(status)); }
    void rules_changed() override { call_.rules_changed(*this); }

    State state = State::waiting;
    detail::CallOperation operation;
    Metadata leading;

   private:
    HedgedCall& call_;
  };
  static constexpr std::size_t most_attempts = RetryOptions::most_attempts;

  balance::HedgePolicy* policy();
  Sending& attempt_of(const detail::CallOperation& operation);
  bool has_unfinished() const noexcept;
  bool may_send_further() const noexcept { return !is_settled_ && !is_unwanted_ && count_ < max_attempts_; }
  void send_next(base::Duration pause);
  void send(Sending& attempt, base::Duration pause);
  void sent(Sending& attempt, const ClientConnection& connection);
  void schedule_next(base::Duration pause);
  void on_timer();
  bool try_pay();
  void rules_changed(Sending& attempt);
  void not_sent(Sending& attempt, Status status);
  void won(Sending& attempt, session::Event& event, const ClientConnection& connection);
  void failed(Sending& attempt, session::Event& event, const ClientConnection& connection);
  bool is_fatal(const Status& status) const noexcept;
  bool abandon_but(const Sending* kept);
  void end(Status status);

  const Parts& parts_;
  CallDetails& details_;
  int max_attempts_;
  /// The time between attempts. It is unset if too little is measured.
  const std::optional<base::Duration> delay_;
  const StatusCodeSet non_fatal_codes_;
  /// True if the call is retried as the options of the channel say, once hedging is over.
  const bool is_retried_;
  std::array<std::optional<Sending>, most_attempts> attempts_;
  int count_ = 0;
  /// True if the server does not want the call again.
  bool is_unwanted_ = false;
  /// True if a response has come, or the call has ended.
  bool is_settled_ = false;
  base::TimePoint first_sent_{};
  /// The servers of all attempts.
  balance::AvoidedServers tried_;
  base::Timer timer_;
};

}  // namespace trunkline::client
