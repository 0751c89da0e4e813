// SPDX-License-Identifier: MIT
// RouteMatch: which route of a server takes a request of HTTP.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::session {

struct RouteMatch {
  /// This is the name of the method that serves the route, such as "GET /static/*". It is valid until the methods of
  /// the server change, and empty if no route takes the request.
  std::string_view name;
  /// Without a name, these are the HTTP methods that the routes of this path take, as in the field Allow. They are
  /// empty if the path has no route, and names a method.
  std::string allowed;
};

}  // namespace trunkline::session
