// SPDX-License-Identifier: MIT
// DnsResolver: decides when a name is looked up in the DNS.
#pragma once

#include "base/timer_wheel.h"
#include "client/backoff.h"
#include "naming/dns/dns_lookup.h"
#include "naming/dns/service_config_choice.h"
#include "net/loop.h"

#include <trunkline/log.h>
#include <trunkline/resolver.h>

#include <memory>
#include <optional>
#include <string>

namespace trunkline::naming::dns {

/// Looks again when the records' time to live ends, after a failure with the channel's backoff, and when refresh() asks
/// for it. Only the loop's thread uses it.
class DnsResolver final : public Resolver {
 public:
  /// The least time to live. Shorter ones are raised to it, or to min_refresh, if that is less.
  static constexpr base::Duration min_time_to_live = std::chrono::seconds(5);
  static constexpr base::Duration max_time_to_live = std::chrono::hours(1);

  /// Makes a resolver. `min_refresh` is the shortest time from one lookup to another for which refresh() asks.
  DnsResolver(net::Loop& loop, const BackoffOptions& backoff, base::Duration min_refresh,
              std::unique_ptr<DnsLookup> lookup);
  /// Has the resolver choose among the service configs that the lookup finds, from here on. `log` gets what is wrong
  /// with them; the last good one stays then.
  void choose_service_config(ServiceConfigChoice choice, LogCallback log);

  void start(std::shared_ptr<ResolverUpdates> updates) override;
  void refresh() override;

 private:
  void look_up();
  void answered(DnsAnswer answer);
  void take_service_configs(const std::string& configs);
  void schedule(base::Duration wait);

  net::Loop& loop_;
  client::Backoff backoff_;
  const base::Duration min_refresh_;
  std::shared_ptr<ResolverUpdates> updates_;
  base::TimePoint last_lookup_{};
  bool is_looking_up_ = false;
  bool has_failed_ = false;
  std::optional<ServiceConfigChoice> choice_;
  LogCallback log_;
  std::string service_config_;
  base::Timer next_;
  /// The lookup is destroyed first, and calls nothing afterwards.
  std::unique_ptr<DnsLookup> lookup_;
};

}  // namespace trunkline::naming::dns
