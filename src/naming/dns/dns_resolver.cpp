// SPDX-License-Identifier: MIT
// DnsResolver: the times of lookups.
#include "naming/dns/dns_resolver.h"

#include <algorithm>
#include <utility>

namespace trunkline::naming::dns {

DnsResolver::DnsResolver(net::Loop& loop, const BackoffOptions& backoff, base::Duration min_refresh,
                         std::unique_ptr<DnsLookup> lookup)
    : loop_(loop),
      backoff_(backoff),
      min_refresh_(min_refresh),
      next_([](base::Timer&, void* self, base::TimePoint) { static_cast<DnsResolver*>(self)->look_up(); }, this),
      lookup_(std::move(lookup)) {}

void DnsResolver::choose_service_config(ServiceConfigChoice choice, LogCallback log) {
  choice_.emplace(std::move(choice));
  log_ = std::move(log);
}

void DnsResolver::start(std::shared_ptr<ResolverUpdates> updates) {
  updates_ = std::move(updates);
  look_up();
}

void DnsResolver::refresh() {
  // After a failure the backoff says when to look again.
  if (is_looking_up_ || has_failed_ || !next_.is_scheduled()) return;
  const base::TimePoint earliest = std::max(loop_.now(), last_lookup_ + min_refresh_);
  if (earliest < next_.deadline()) loop_.timers().schedule(next_, earliest);
}

void DnsResolver::look_up() {
  is_looking_up_ = true;
  last_lookup_ = loop_.now();
  lookup_->start([this](DnsAnswer answer) { answered(std::move(answer)); });
}

void DnsResolver::answered(DnsAnswer answer) {
  // The listener may destroy this resolver.
  const std::shared_ptr<ResolverUpdates> updates = updates_;
  if (!answer.is_final) {
    return updates->update({.servers = std::move(answer.servers), .service_config = service_config_});
  }
  is_looking_up_ = false;
  has_failed_ = !answer.status.is_ok();
  if (has_failed_) {
    schedule(backoff_.next());
    return updates->fail(std::move(answer.status));
  }
  backoff_.reset();
  if (answer.time_to_live != base::Duration::max()) {
    schedule(std::clamp(answer.time_to_live, std::min(min_time_to_live, min_refresh_), max_time_to_live));
  }
  if (answer.service_configs) take_service_configs(*answer.service_configs);
  updates->update({.servers = std::move(answer.servers), .service_config = service_config_});
}

void DnsResolver::take_service_configs(const std::string& configs) {
  if (!choice_) return;
  Result<std::string> chosen = configs.empty() ? Result<std::string>(std::string()) : choice_->choose(configs);
  if (chosen) {
    service_config_ = *std::move(chosen);
  } else if (log_) {
    const std::string problem = "choose a service config of the DNS: " + std::string(chosen.status().message());
    log_({.level = LogLevel::warning, .message = problem, .method = {}, .peer = {}});
  }
}

void DnsResolver::schedule(base::Duration wait) {
  loop_.timers().schedule(next_, base::deadline_after(loop_.now(), wait));
}

}  // namespace trunkline::naming::dns
