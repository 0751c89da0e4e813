// SPDX-License-Identifier: MIT
// RouteTable: finds the method of a server that serves a request of plain HTTP.
#pragma once

#include "server/method_registry.h"
#include "server/route_path.h"
#include "session/route_match.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace trunkline::server {

/// The routes of one snapshot of the methods, which outlives it.
class RouteTable {
 public:
  RouteTable() = default;
  explicit RouteTable(const MethodRegistry::Methods& methods);

  bool empty() const noexcept { return paths_.empty() && prefixes_.empty(); }
  /// Finds a route with just this path, or else the method of this name, for which the match is empty, or else the
  /// route with the longest prefix. HEAD is served by routes for GET.
  session::RouteMatch find(std::string_view http_method, std::string_view path) const;

 private:
  /// The names of the routes of one path, in the order of route_verbs. An empty name stands for no route.
  using Names = std::array<std::string_view, route_verbs.size()>;
  struct Prefix {
    std::string_view text;
    Names names;
  };

  bool has_method(std::string_view path) const;

  const MethodRegistry::Methods* methods_ = nullptr;
  std::unordered_map<std::string_view, Names> paths_;
  /// The prefixes up to the '*', the longest first.
  std::vector<Prefix> prefixes_;
};

}  // namespace trunkline::server
