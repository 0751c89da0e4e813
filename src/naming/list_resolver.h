// SPDX-License-Identifier: MIT
// make_list_resolver(): resolves lists, such as "tcp://a:4000,b:4000".
#pragma once

#include <trunkline/resolver.h>

#include <memory>

namespace trunkline::naming {

/// Serves as a ResolverRegistry::Factory. Error: invalid_argument, naming the entry that is malformed.
Result<std::unique_ptr<Resolver>> make_list_resolver(const ResolverContext& context);

}  // namespace trunkline::naming
