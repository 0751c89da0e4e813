// SPDX-License-Identifier: MIT
// ServiceRules: decides which config applies, and what it says of a method.
#include "client/service_rules.h"

#include <utility>

namespace trunkline::client {

namespace {

/// Parses a config. Empty text is the config that asks for nothing.
Result<ServiceConfig> parse(std::string_view json) {
  return json.empty() ? Result<ServiceConfig>(ServiceConfig()) : ServiceConfig::parse(json);
}

}  // namespace

ServiceRules::ServiceRules(const ChannelOptions& options) : options_(options) {
  apply(parse(options.service_config).value_or(ServiceConfig()));
}

BalancingPolicy ServiceRules::balancing_policy() const noexcept {
  return config_.balancing_policy.value_or(options_.balancing.policy);
}

const std::string& ServiceRules::health_service() const noexcept {
  return config_.health_service ? *config_.health_service : options_.balancing.health_service;
}

void ServiceRules::update(const std::string& json) {
  if (json == reported_) return;
  reported_ = json;
  Result<ServiceConfig> config = parse(json.empty() ? options_.service_config : json);
  if (!config) {
    const std::string text(config.status().message());
    if (options_.log) {
      const std::string message = text + "; the one before stays in use";
      options_.log({.level = LogLevel::warning, .message = message, .method = {}, .peer = {}});
    }
    return;
  }
  apply(*std::move(config));
  if (on_change) on_change();
}

void ServiceRules::apply(ServiceConfig config) {
  by_name_.clear();
  shared_.clear();
  config_ = std::move(config);
  has_any_ = !config_.methods.empty() || options_.hedging.has_value();
  ++version_;
}

void ServiceRules::look_up(const MethodEntry& method) {
  method.rules_version = version_;
  method.rules = nullptr;
  const MethodConfig* const config = config_.find(method.name);
  if (config == nullptr && !options_.hedging) return;
  const bool is_measured = by_name_.size() < max_methods || by_name_.contains(method.name);
  std::unique_ptr<MethodRules>& rules = is_measured ? by_name_[method.name] : shared_[config];
  if (rules == nullptr) {
    rules = std::make_unique<MethodRules>();
    if (config != nullptr) rules->config = *config;
    const bool is_silent = !rules->config.retry && !rules->config.hedging;
    if (is_silent && options_.hedging) {
      rules->config.hedging = options_.hedging;
      rules->hedges_idempotent_only = true;
    }
    if (rules->config.hedging) rules->hedging = std::make_unique<balance::HedgePolicy>(*rules->config.hedging);
  }
  method.rules = rules.get();
}

}  // namespace trunkline::client
