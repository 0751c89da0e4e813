// SPDX-License-Identifier: MIT
// HealthWatch: follows the health of one server by grpc.health.v1.Health/Watch.
#pragma once

#include "base/timer_wheel.h"
#include "client/background_call.h"
#include "client/backoff.h"
#include "client/health_state.h"

#include <trunkline/channel_options.h>

#include <memory>
#include <string>

namespace trunkline::net {
class Loop;
}

namespace trunkline::client {

class ClientConnection;
class ServiceRules;

/// Receives what a watch reports, on the loop's thread.
class HealthWatchOwner {
 public:
  /// Called when the state has changed. The owner looks at it later, outside of this function.
  virtual void health_changed() = 0;

 protected:
  ~HealthWatchOwner() = default;
};

/// Makes one call at a time, on one of the server's connections. If it breaks, it is made again after a backoff, which
/// a call that has lasted for long resets. If the server refuses it, it is not made before the server is connected
/// again. The protocol: https://github.com/grpc/grpc/blob/master/doc/health-checking.md
///
/// Only the loop's thread uses it.
class HealthWatch final : public BackgroundCall {
 public:
  /// A server that has not answered in this time gets calls: a proxy may hold the answer back.
  static constexpr base::Duration longest_silence = std::chrono::seconds(5);

  /// `options` and `rules` must outlive this object.
  HealthWatch(net::Loop& loop, const ChannelOptions& options, const ServiceRules& rules, HealthWatchOwner& owner);
  ~HealthWatch();
  HealthWatch(const HealthWatch&) = delete;
  HealthWatch& operator=(const HealthWatch&) = delete;

  /// Sets the open connection on which the server is to be watched. Null: it has none, and its health is unknown until
  /// it has one again. No effect if it is the same as before.
  void follow(const std::shared_ptr<ClientConnection>& connection);
  /// Asks again if the service config names another service. What was said of the former holds until the answer.
  void rules_changed();
  HealthState::State state() const noexcept { return health_.state(); }
  bool is_serving() const noexcept { return health_.state() == HealthState::State::serving; }

 private:
  void on_message(session::Event& event) override;
  void on_finished(session::Event& event) override;

  void begin();
  void on(HealthState::Event event);
  void retry_later();
  void timer_fired(base::TimePoint now);

  net::Loop& loop_;
  const ChannelOptions& options_;
  const ServiceRules& rules_;
  HealthWatchOwner& owner_;
  /// The codec of the messages; null: this build has none, and nothing is watched.
  const Codec* const codec_;
  std::shared_ptr<ClientConnection> connection_;
  HealthState health_;
  /// The service whose health was asked for last.
  std::string service_;
  bool is_open_ = false;
  /// The time when the last call began.
  base::TimePoint begun_{};
  Backoff backoff_;
  /// The longest silence while the call is open. Otherwise it is the pause before the next one.
  base::Timer timer_;
};

}  // namespace trunkline::client
