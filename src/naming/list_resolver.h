// SPDX-License-Identifier: MIT
// The resolver of lists, such as "tcp://a:4000,b:4000".
#pragma once

#include <trunkline/resolver.h>

#include <memory>

namespace trunkline::naming {

/// A ResolverRegistry::Factory. Error: invalid_argument, naming the entry that is malformed.
Result<std::unique_ptr<Resolver>> make_list_resolver(const ResolverContext& context);

}  // namespace trunkline::naming
