// SPDX-License-Identifier: MIT
// ServiceRules: the service config that applies to a channel, method by method.
#pragma once

#include "client/method_rules.h"
#include "client/method_table.h"

#include <trunkline/channel_options.h>
#include <trunkline/service_config.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace trunkline::client {

/// The config of the resolver, if it has reported one, or else that of the channel's options. Loop's thread, except for
/// the constructor.
class ServiceRules {
 public:
  /// Methods that have rules of their own, so that hedged ones are measured one by one. Further ones share the rules of
  /// their entry in the config, and are measured together.
  static constexpr std::size_t max_methods = 1024;

  /// `options` must outlive this, and have been checked.
  explicit ServiceRules(const ChannelOptions& options);
  ServiceRules(const ServiceRules&) = delete;
  ServiceRules& operator=(const ServiceRules&) = delete;

  /// False: nothing is asked for any method.
  bool any() const noexcept { return has_any_; }
  /// Null: nothing is asked for the method. Valid until the next update().
  MethodRules* find(const MethodEntry& method) {
    if (method.rules_version != version_) look_up(method);
    return method.rules;
  }
  const ServiceConfig& config() const noexcept { return config_; }
  /// Of the config, or else of the options.
  BalancingPolicy balancing_policy() const noexcept;
  /// Whose health is watched; empty: that of the server as a whole. Of the config, or else of the options.
  const std::string& health_service() const noexcept;

  /// The resolver has reported `json`; empty: it has no config. One that is wrong is logged, and the one before stays.
  void update(const std::string& json);
  /// Called when the config has changed.
  std::function<void()> on_change{};

 private:
  void apply(ServiceConfig config);
  void look_up(const MethodEntry& method);

  const ChannelOptions& options_;
  ServiceConfig config_;
  /// What update() got last.
  std::string reported_;
  bool has_any_ = false;
  /// Grows with every change, so that what methods remember is looked up again. 0: never.
  std::uint32_t version_ = 0;
  std::unordered_map<std::string, std::unique_ptr<MethodRules>> by_name_;
  /// Of the methods beyond max_methods, by their entry in the config.
  std::unordered_map<const MethodConfig*, std::unique_ptr<MethodRules>> shared_;
};

}  // namespace trunkline::client
