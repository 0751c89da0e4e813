// SPDX-License-Identifier: MIT
// make_dns_resolver(): puts the resolver together.
#include "naming/dns/make_dns_resolver.h"

#include "naming/dns/ares_lookup.h"
#include "naming/dns/dns_resolver.h"
#include "naming/dns/dns_target.h"
#include "naming/dns/service_config_choice.h"

#include <trunkline/channel_options.h>

#include <optional>
#include <utility>

namespace trunkline::naming::dns {

Result<std::unique_ptr<Resolver>> make_dns_resolver(const ResolverContext& context) {
  Result<DnsTarget> target = DnsTarget::parse(context.target);
  if (!target) return std::move(target).status();
  const base::Duration min_refresh = target->min_refresh;
  std::optional<ServiceConfigChoice> choice;
  if (target->uses_service_config) choice.emplace(target->domain());
  auto lookup = std::make_unique<AresLookup>(context.loop, *std::move(target), context.target.server_scheme);
  auto resolver = std::make_unique<DnsResolver>(context.loop, context.options.backoff, min_refresh, std::move(lookup));
  if (choice) resolver->choose_service_config(*std::move(choice), context.options.log);
  return std::unique_ptr<Resolver>(std::move(resolver));
}

}  // namespace trunkline::naming::dns
