// SPDX-License-Identifier: MIT
// make_dns_resolver(): resolves names in the DNS, such as "dns:///orders.example.com:4000".
#pragma once

#include <trunkline/resolver.h>

#include <memory>

namespace trunkline::naming::dns {

/// Serves as a ResolverRegistry::Factory. Errors: invalid_argument, naming what is wrong with the URI; unimplemented in
/// a build without c-ares.
Result<std::unique_ptr<Resolver>> make_dns_resolver(const ResolverContext& context);

}  // namespace trunkline::naming::dns
