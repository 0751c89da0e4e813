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

/// Applies the config of the resolver, if it has reported one, or else that of the channel's options. Only the loop's
/// thread uses it, except for the constructor.
class ServiceRules {
 public:
  /// The most methods that have rules of their own, so that hedged ones are measured one by one. Further ones share the
  /// rules of their entry in the config, and are measured together.
  static constexpr std::size_t max_methods = 1024;

  /// `options` must outlive this object, and have been checked.
  explicit ServiceRules(const ChannelOptions& options);
  ServiceRules(const ServiceRules&) = delete;
  ServiceRules& operator=(const ServiceRules&) = delete;

  /// Returns false if nothing is asked for any method.
  bool any() const noexcept { return has_any_; }
  /// Returns the rules of a method, valid until the next update(). Null: nothing is asked for the method.
  MethodRules* find(const MethodEntry& method) {
    if (method.rules_version != version_) look_up(method);
    return method.rules;
  }
  const ServiceConfig& config() const noexcept { return config_; }
  /// Returns the policy of the config, or else that of the options.
  BalancingPolicy balancing_policy() const noexcept;
  /// Returns the service whose health is watched, by the config or else the options; empty: the server as a whole.
  const std::string& health_service() const noexcept;

  /// Takes the config that the resolver reported; empty: it has none. A wrong one is logged, and the former one stays.
  void update(const std::string& json);
  /// Called when the config has changed.
  std::function<void()> on_change{};

 private:
  void apply(ServiceConfig config);
  void look_up(const MethodEntry& method);

  const ChannelOptions& options_;
  ServiceConfig config_;
  /// The text that update() got last.
  std::string reported_;
  bool has_any_ = false;
  /// Grows with every change, so that methods look up again what they remember. 0: the methods have never looked.
  std::uint32_t version_ = 0;
  std::unordered_map<std::string, std::unique_ptr<MethodRules>> by_name_;
  /// The rules of the methods beyond max_methods, by their entry in the config.
  std::unordered_map<const MethodConfig*, std::unique_ptr<MethodRules>> shared_;
};

}  // namespace trunkline::client
