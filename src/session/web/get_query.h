// SPDX-License-Identifier: MIT
// GetQuery: the query of a GET that calls a method (Connect's "Unary-Get-Request"; plain HTTP has the same).
#pragma once

#include <trunkline/slice.h>

#include <optional>
#include <string>
#include <string_view>

namespace trunkline::session::web {

struct GetQuery {
  /// The query has `connect=v1`.
  bool is_connect = false;
  /// The encoding is empty if the query names none.
  std::string encoding;
  std::string compression;
  /// The message is decoded, also from base64, and may be compressed. It is empty if the query has none.
  std::optional<Slice> message;
};

/// Reads what stands behind the '?'. Names that it does not know are ignored. Returns nothing and sets `reason` if a
/// known name comes twice, or if a value is malformed: "%" without two digits, a message that is not base64, a version
/// that is not v1.
std::optional<GetQuery> read_get_query(std::string_view query, std::string_view& reason);

}  // namespace trunkline::session::web
