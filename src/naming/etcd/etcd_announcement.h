// SPDX-License-Identifier: MIT
// EtcdAnnouncement: keeps a server announced in etcd.
#pragma once

#include "base/timer_wheel.h"
#include "naming/etcd/etcd_session.h"
#include "naming/etcd/etcd_target.h"
#include "naming/etcd/lease_stages.h"
#include "net/loop.h"
#include "server/announcement.h"

#include <trunkline/announce_options.h>
#include <trunkline/log.h>
#include <trunkline/resolver.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::naming::etcd {

/// Writes a key for each of the server's addresses under one lease, and keeps that alive. If the lease is lost, it
/// announces the server anew, under another one. Only the loop's thread uses it.
class EtcdAnnouncement final : public server::Announcement {
 public:
  using Log = std::function<void(LogLevel level, std::string_view text)>;

  /// The time that withdrawing may take. The keys go with the lease if that is not enough.
  static constexpr base::Duration withdrawing_time = std::chrono::seconds(2);

  struct Parts {
    EtcdTarget target;
    /// The server, once for each of its addresses; at least one.
    std::vector<ResolvedServer> servers;
    std::chrono::seconds time_to_live;
    std::chrono::milliseconds drain_delay;
    BackoffOptions backoff = EtcdSession::usual_backoff;
    std::unique_ptr<EtcdCalls> calls;
    Log log;
  };

  EtcdAnnouncement(net::Loop& loop, Parts parts);

  void start() override { session_.start(); }
  void withdraw(base::TimePoint deadline, std::function<void()> done) override;

 private:
  void apply(LeaseEvent event);
  void fail(const Status& error);
  void authenticate();
  void grant();
  /// Writes the next key.
  void put();
  void keep();
  void renew();
  void settle();
  void rest();
  void revoke();
  void finish();
  void timer_fired();
  std::string key_of(const ResolvedServer& server) const;

  net::Loop& loop_;
  const EtcdTarget target_;
  const std::vector<ResolvedServer> servers_;
  const std::chrono::seconds time_to_live_;
  const base::Duration drain_delay_;
  const Log log_;
  LeaseStage stage_ = LeaseStage::resting;
  /// The lease; 0: there is none.
  std::uint64_t lease_ = 0;
  /// The number of keys that are written under the lease.
  std::size_t written_ = 0;
  /// True if a renewal has been sent and not been answered.
  bool is_renewing_ = false;
  bool has_warned_ = false;
  Status last_error_;
  base::TimePoint deadline_ = base::never;
  std::function<void()> done_;
  /// In `keeping`: the next renewal, or the lease's end. After withdraw(): the end of withdrawing, then of the delay.
  base::Timer timer_;
  EtcdSession session_;
};

}  // namespace trunkline::naming::etcd
