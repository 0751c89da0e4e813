// SPDX-License-Identifier: MIT
// A unary call as an attempt.
#include "client/call_details.h"

#include "client/client_connection.h"

#include <utility>

namespace trunkline::client {

Status CallDetails::start_on(ClientConnection& connection) {
  Status status = connection.start(operation, message, &metadata);
  if (!status.is_ok()) return status.set_may_have_run(false), status;
  if (response_info != nullptr || interception.started > 0) peer = connection.peer();
  if (operation.one_way) ended_.push(operation);
  return {};
}

void CallDetails::fail(Status status) {
  operation.status = std::move(status);
  ended_.push(operation);
}

}  // namespace trunkline::client
