// SPDX-License-Identifier: MIT
// Makes the status that SessionOwner returns by default for an exception of a codec.
#include "session/session.h"

#include <string>

namespace trunkline::session {

Status SessionOwner::status_of_exception(std::string_view operation, std::string_view text) {
  std::string message = std::string(operation) + " threw an exception";
  if (!text.empty()) message.append(": ").append(text);
  return {StatusCode::internal, message};
}

}  // namespace trunkline::session
