// SPDX-License-Identifier: MIT
// make_etcd_resolver(): resolves servers announced in etcd, such as "etcd://e1:2379,e2:2379/services/orders".
#pragma once

#include <trunkline/resolver.h>

#include <memory>

namespace trunkline::naming::etcd {

/// Serves as a ResolverRegistry::Factory. Error: invalid_argument, naming what is wrong with the URI.
Result<std::unique_ptr<Resolver>> make_etcd_resolver(const ResolverContext& context);

}  // namespace trunkline::naming::etcd
