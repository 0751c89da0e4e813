// SPDX-License-Identifier: MIT
// What SessionOwner does where its owner has nothing to add.
#include "session/session.h"

#include <string>

namespace trunkline::session {

Status SessionOwner::status_of_exception(std::string_view operation, std::string_view text) {
  std::string message = std::string(operation) + " threw an exception";
  if (!text.empty()) message.append(": ").append(text);
  return {StatusCode::internal, message};
}

}  // namespace trunkline::session
