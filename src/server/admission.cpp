// SPDX-License-Identifier: MIT
// The text of a refusal.
#include "server/admission.h"

#include <string>

namespace trunkline::server {

Status Admission::refusal(const Method& method) const {
  const std::size_t limit = method.options.max_concurrent_calls;
  const bool by_method = limit != 0 && method.open_calls.load(std::memory_order_relaxed) >= limit;
  std::string text = "call " + method.name + ": ";
  if (by_method) {
    text += "the method's open calls have reached MethodOptions::max_concurrent_calls " + std::to_string(limit);
  } else {
    text += "the server's open calls have reached max_concurrent_calls " + std::to_string(max_calls_);
  }
  Status status(StatusCode::resource_exhausted, text);
  status.set_may_have_run(false);
  return status;
}

}  // namespace trunkline::server
