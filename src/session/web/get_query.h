// SPDX-License-Identifier: MIT
// GetQuery: the query of a GET that calls a method (Connect's "Unary-Get-Request"; plain HTTP has the same).
#pragma once

#include <trunkline/slice.h>

#include <optional>
#include <string>
#include <string_view>

namespace trunkline::session::web {

struct GetQuery {
  /// `connect=v1`.
  bool is_connect = false;
  /// Empty: there is none.
  std::string encoding;
  std::string compression;
  /// Decoded, also from base64; may be compressed. Empty: there is none.
  std::optional<Slice> message;
};

/// Reads what stands behind the '?'. Names it does not know are ignored; of a name that comes twice the last value
/// counts. Empty, and `reason` set, if a value is malformed: "%" without two digits, a message that is not base64, a
/// version that is not v1.
std::optional<GetQuery> read_get_query(std::string_view query, std::string_view& reason);

}  // namespace trunkline::session::web
