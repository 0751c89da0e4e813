// SPDX-License-Identifier: MIT
// ResolverRegistry: the resolvers by scheme, and those of the library.
#include <trunkline/resolver.h>

#include "naming/dns/make_dns_resolver.h"
#include "naming/etcd/make_etcd_resolver.h"
#include "naming/file/file_resolver.h"
#include "naming/list_resolver.h"

#include <algorithm>
#include <stdexcept>

namespace trunkline {

ResolverRegistry& ResolverRegistry::add(std::string_view scheme, Factory factory) {
  const std::string text(scheme);
  if (!factory) throw std::invalid_argument("add resolver '" + text + "': there is no factory");
  const Result<Target> target = Target::parse(text + "://authority/path");
  if (!target || target->is_endpoint || target->scheme != scheme) {
    throw std::invalid_argument("add resolver '" + text +
                                "': the scheme is that of an endpoint, or not 1 to 32 of a-z, 0-9, '.' and '-'");
  }
  const auto known =
      std::find_if(factories_.begin(), factories_.end(), [&](const auto& entry) { return entry.first == scheme; });
  if (known != factories_.end()) {
    known->second = std::move(factory);
  } else {
    factories_.emplace_back(text, std::move(factory));
  }
  return *this;
}

const ResolverRegistry::Factory* ResolverRegistry::find(std::string_view scheme) const noexcept {
  const auto known =
      std::find_if(factories_.begin(), factories_.end(), [&](const auto& entry) { return entry.first == scheme; });
  return known == factories_.end() ? nullptr : &known->second;
}

std::vector<std::string> ResolverRegistry::schemes() const {
  std::vector<std::string> names;
  for (const auto& [scheme, factory] : factories_) names.push_back(scheme);
  return names;
}

const ResolverRegistry& ResolverRegistry::built_in() {
  static const ResolverRegistry registry = [] {
    ResolverRegistry made;
    made.add("list", naming::make_list_resolver);
    made.add("file", naming::file::make_file_resolver);
    made.add("dns", naming::dns::make_dns_resolver);
    made.add("etcd", naming::etcd::make_etcd_resolver);
    made.add("etcds", naming::etcd::make_etcd_resolver);
    return made;
  }();
  return registry;
}

}  // namespace trunkline
