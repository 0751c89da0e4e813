// SPDX-License-Identifier: MIT
// Compares the names of encodings.
#include "session/web/encoding_name.h"

#include "base/token.h"

#include <algorithm>

namespace trunkline::session::web {
namespace {

/// `own` is in lower case.
bool is_same(std::string_view field, std::string_view own) noexcept {
  return std::equal(field.begin(), field.end(), own.begin(), own.end(),
                    [](char given, char wanted) { return base::ascii_lower(given) == wanted; });
}

}  // namespace

bool names_encoding(std::string_view field, std::string_view own) noexcept {
  return field == own || is_same(field, own) || (own == "gzip" && is_same(field, "x-gzip"));
}

bool names_identity(std::string_view field) noexcept {
  return field.empty() || field == "identity" || is_same(field, "identity");
}

}  // namespace trunkline::session::web
