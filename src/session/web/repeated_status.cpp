// SPDX-License-Identifier: MIT
// Makes a status that names both values.
#include "session/web/repeated_status.h"

#include "wire/shown_text.h"

#include <string>

namespace trunkline::session::web {

Status differing_codes(std::string_view first, std::string_view second) {
  constexpr std::size_t most_bytes = 32;
  return {StatusCode::unknown,
          "receive trailers: grpc-status is given twice, as '" + wire::shown(first, most_bytes) + "' and as '" +
              wire::shown(second, most_bytes) + "'",
          StatusOrigin::peer};
}

}  // namespace trunkline::session::web
