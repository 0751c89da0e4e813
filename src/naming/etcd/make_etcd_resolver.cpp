// SPDX-License-Identifier: MIT
// make_etcd_resolver(): puts the resolver together.
#include "naming/etcd/make_etcd_resolver.h"

#include "naming/etcd/etcd_client.h"
#include "naming/etcd/etcd_resolver.h"

#include <trunkline/channel_options.h>

#include <utility>

namespace trunkline::naming::etcd {

Result<std::unique_ptr<Resolver>> make_etcd_resolver(const ResolverContext& context) {
  const Result<EtcdTarget> target = EtcdTarget::parse(context.target);
  if (!target) return target.status();
  return std::unique_ptr<Resolver>(std::make_unique<EtcdResolver>(context.loop, *target,
                                                                  std::make_unique<EtcdClient>(context.loop, *target),
                                                                  EtcdSession::usual_backoff, context.options.log));
}

}  // namespace trunkline::naming::etcd
