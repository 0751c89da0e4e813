// SPDX-License-Identifier: MIT
// RouteFinder: finds the route that takes a request, by the first line of the request.
#pragma once

#include "session/route_match.h"
#include "session/session.h"

#include <trunkline/slice.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::session::web {

class RouteFinder {
 public:
  enum class Outcome : std::uint8_t {
    /// The path has no route.
    none,
    /// name() serves it.
    route,
    /// Routes with this path take other methods of HTTP, which allowed() lists.
    not_allowed,
  };

  /// `owner` outlives the object.
  explicit RouteFinder(SessionOwner& owner) noexcept : owner_(owner) {}

  /// `target` is the path with its query. A path that is malformed, or that has a part "." or ".." once it is decoded,
  /// has no route: nothing leads out of the folder of a route for files.
  Outcome find(std::string_view http_method, std::string_view target);

  std::string_view name() const noexcept { return match_.name; }
  const std::string& allowed() const noexcept { return match_.allowed; }

 private:
  SessionOwner& owner_;
  BufferWriter path_;
  RouteMatch match_;
};

}  // namespace trunkline::session::web
