// SPDX-License-Identifier: MIT
// EtcdSession: authenticates at etcd, and decides when etcd is tried again after a failure.
#pragma once

#include "base/timer_wheel.h"
#include "client/backoff.h"
#include "naming/etcd/etcd_calls.h"
#include "net/loop.h"

#include <functional>
#include <memory>
#include <string>

namespace trunkline::naming::etcd {

/// Begins at a member, and after a failure at the next one: at once, until all members have failed, and then after a
/// pause. Only the loop's thread uses it.
class EtcdSession {
 public:
  struct Credentials {
    /// The name of the user; empty: there is no user.
    std::string user{};
    std::string password{};
  };

  /// The pauses between rounds.
  static constexpr BackoffOptions usual_backoff{.initial = std::chrono::milliseconds(100),
                                                .maximum = std::chrono::milliseconds(5000)};

  /// `begin` is called when something should be tried, never inside a function of this class. It may destroy this
  /// object.
  EtcdSession(net::Loop& loop, std::unique_ptr<EtcdCalls> calls, Credentials credentials, const BackoffOptions& backoff,
              std::function<void()> begin);

  EtcdCalls& calls() noexcept { return *calls_; }
  /// Has `begin` called soon.
  void start();
  /// Gets a token for the user; `done` is called at once if there is none, and may destroy this object.
  void authenticate(EtcdCalls::Ended done);
  /// Notes that the attempt has succeeded.
  void succeeded() noexcept;
  /// Abandons what is in progress, and has `begin` called at the next member.
  void failed();
  /// Returns true if each member has failed since the last success.
  bool has_tried_all() const { return failures_ >= calls_->member_count(); }

 private:
  net::Loop& loop_;
  const std::unique_ptr<EtcdCalls> calls_;
  const Credentials credentials_;
  client::Backoff backoff_;
  const std::function<void()> begin_;
  std::size_t failures_ = 0;
  base::Timer next_;
};

}  // namespace trunkline::naming::etcd
