// SPDX-License-Identifier: MIT
// RouteTable: finds routes.
#include "server/route_table.h"

#include <algorithm>
#include <bitset>

namespace trunkline::server {
namespace {

constexpr std::size_t get = 0;
constexpr std::size_t head = 1;
constexpr std::size_t post = 2;
using Verbs = std::bitset<route_verbs.size()>;

/// Returns the place in route_verbs; route_verbs.size() if no route takes the method.
std::size_t position_of(std::string_view http_method) noexcept {
  return static_cast<std::size_t>(std::find(route_verbs.begin(), route_verbs.end(), http_method) - route_verbs.begin());
}

std::string list_of(Verbs verbs) {
  if (verbs[get]) verbs.set(head);
  std::string list;
  for (std::size_t i = 0; i < verbs.size(); ++i) {
    if (verbs[i]) list.append(list.empty() ? "" : ", ").append(route_verbs[i]);
  }
  return list;
}

}  // namespace

RouteTable::RouteTable(const MethodRegistry::Methods& methods) : methods_(&methods) {
  for (const auto& [name, method] : methods) {
    if (!method->is_route) continue;
    const std::string_view text = method->name;
    const std::size_t space = text.find(' ');
    std::string_view path = text.substr(space + 1);
    const std::size_t verb = position_of(text.substr(0, space));
    if (path.back() != '*') {
      paths_[path][verb] = text;
      continue;
    }
    path.remove_suffix(1);
    auto found = std::find_if(prefixes_.begin(), prefixes_.end(), [&](const Prefix& one) { return one.text == path; });
    if (found == prefixes_.end()) found = prefixes_.insert(found, {path, {}});
    found->names[verb] = text;
  }
  std::sort(prefixes_.begin(), prefixes_.end(),
            [](const Prefix& a, const Prefix& b) { return a.text.size() > b.text.size(); });
}

session::RouteMatch RouteTable::find(std::string_view http_method, std::string_view path) const {
  const std::size_t verb = position_of(http_method);
  Verbs seen;
  const auto pick = [&](const Names& names) {
    for (std::size_t i = 0; i < names.size(); ++i) seen[i] = seen[i] || !names[i].empty();
    if (verb == route_verbs.size()) return std::string_view();
    return names[verb].empty() && verb == head ? names[get] : names[verb];
  };
  if (const auto exact = paths_.find(path); exact != paths_.end()) {
    if (const std::string_view name = pick(exact->second); !name.empty()) return {name, {}};
  }
  const bool is_method = has_method(path);
  if (is_method && (verb == get || verb == head || verb == post)) return {};
  for (const Prefix& prefix : prefixes_) {
    if (!path.starts_with(prefix.text)) continue;
    if (const std::string_view name = pick(prefix.names); !name.empty()) return {name, {}};
  }
  if (seen.none()) return {};
  if (is_method) seen.set(post);
  return {{}, list_of(seen)};
}

bool RouteTable::has_method(std::string_view path) const {
  const auto found = methods_->find(path.substr(1));
  return path.size() > 1 && found != methods_->end() && !found->second->is_route;
}

}  // namespace trunkline::server
