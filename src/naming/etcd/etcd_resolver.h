// SPDX-License-Identifier: MIT
// EtcdResolver: reports the servers for which etcd's keys below a prefix stand, again whenever they change.
#pragma once

#include "base/timer_wheel.h"
#include "naming/etcd/announced_servers.h"
#include "naming/etcd/etcd_session.h"
#include "naming/etcd/etcd_target.h"
#include "naming/etcd/responses.h"
#include "naming/etcd/watch_stages.h"
#include "net/loop.h"

#include <trunkline/log.h>
#include <trunkline/resolver.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace trunkline::naming::etcd {

/// Reads the keys once and watches them from then on. Its last report holds while etcd cannot be reached, and while no
/// key stands for a server. Only the loop's thread uses it.
class EtcdResolver final : public Resolver {
 public:
  /// The time that a member may take to begin a watch.
  static constexpr base::Duration opening_time = std::chrono::seconds(5);

  /// Makes the resolver. `log` may be null.
  EtcdResolver(net::Loop& loop, const EtcdTarget& target, std::unique_ptr<EtcdCalls> calls,
               const BackoffOptions& backoff, LogCallback log);

  void start(std::shared_ptr<ResolverUpdates> updates) override;

 private:
  void apply(WatchEvent event);
  void fail(const Status& error);
  void authenticate();
  void list();
  void open();
  void watched(const WatchResponse& response);
  void report();
  void rest();
  void warn(const std::string& text) const;

  net::Loop& loop_;
  const std::string target_;
  const std::string prefix_;
  const LogCallback log_;
  std::shared_ptr<ResolverUpdates> updates_;
  WatchStage stage_ = WatchStage::resting;
  AnnouncedServers servers_;
  /// The revision up to which the keys are known; 0: they are not known.
  std::uint64_t revision_ = 0;
  /// The faults of the values that arrived last.
  std::vector<std::string> problems_;
  Status last_error_;
  bool has_warned_ = false;
  base::Timer opening_;
  EtcdSession session_;
};

}  // namespace trunkline::naming::etcd
