// SPDX-License-Identifier: MIT
// make_dns_resolver(): refuses names in a build without c-ares.
#include "naming/dns/make_dns_resolver.h"

namespace trunkline::naming::dns {

Result<std::unique_ptr<Resolver>> make_dns_resolver(const ResolverContext& context) {
  return Status(StatusCode::unimplemented,
                "resolve " + context.target.text + ": this build has no c-ares; build with TRUNKLINE_WITH_DNS=ON");
}

}  // namespace trunkline::naming::dns
