// SPDX-License-Identifier: MIT
// Lists the names of the fields.
#include "session/web/field_name.h"

#include <algorithm>
#include <array>

namespace trunkline::session::web {
namespace {

/// The names are in the order of FieldName, which is sorted.
constexpr std::array<std::string_view, field_name_count> names{
    "accept",
    "accept-encoding",
    "access-control-request-headers",
    "access-control-request-method",
    "connect-accept-encoding",
    "connect-content-encoding",
    "connect-protocol-version",
    "connect-timeout-ms",
    "content-encoding",
    "content-type",
    "grpc-accept-encoding",
    "grpc-encoding",
    "grpc-timeout",
    "origin",
    "sec-fetch-site",
};
static_assert(std::is_sorted(names.begin(), names.end()));

}  // namespace

std::string_view to_string(FieldName name) noexcept { return names[static_cast<std::size_t>(name)]; }

bool find_field_name(std::string_view name, FieldName& out) noexcept {
  const auto found = std::lower_bound(names.begin(), names.end(), name);
  if (found == names.end() || *found != name) return false;
  out = static_cast<FieldName>(found - names.begin());
  return true;
}

}  // namespace trunkline::session::web
