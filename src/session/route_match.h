// SPDX-License-Identifier: MIT
// RouteMatch: which route of a server takes a request of HTTP.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::session {

struct RouteMatch {
  /// The name of the method that serves the route, such as "GET /static/*". Valid until the methods of the server
  /// change. Empty: no route takes the request.
  std::string_view name;
  /// Without a name: the HTTP methods that the routes of this path take, as in the field Allow. Empty: the path has no
  /// route, and names a method.
  std::string allowed;
};

}  // namespace trunkline::session
