// SPDX-License-Identifier: MIT
// The resolver of names in the DNS, such as "dns:///orders.example.com:4000".
#pragma once

#include <trunkline/resolver.h>

#include <memory>

namespace trunkline::naming::dns {

/// A ResolverRegistry::Factory. Errors: invalid_argument, naming what is wrong with the URI; unimplemented in a build
/// without c-ares.
Result<std::unique_ptr<Resolver>> make_dns_resolver(const ResolverContext& context);

}  // namespace trunkline::naming::dns
