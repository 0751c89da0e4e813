// SPDX-License-Identifier: MIT
// EarlyInterceptions: tells interceptors of calls whose requests are not whole.
#include "server/early_interceptions.h"

#include <utility>

namespace trunkline::server {

Status EarlyInterceptions::begin(const call::InterceptorChain& chain, session::Event& event, LoopMethod& method) {
  Call& call = calls_[event.id];
  call = {.method = method.shared_from_this(), .name = {}, .metadata = event.metadata, .interception = {}};
  if (method.method().name.empty()) call.name = event.method_name;
  CallContext context(&connection_context_);
  context.begin(method.method(), call.metadata, event);
  Status status = call.interception.begin(chain, context, call.metadata);
  if (status.is_ok()) return status;
  call.interception.end(chain, context, status);
  calls_.erase(event.id);
  return status;
}

void EarlyInterceptions::take(session::Event& event, ServerInterception& interception) {
  if (calls_.empty()) return;
  const auto found = calls_.find(event.id);
  if (found == calls_.end()) return;
  event.metadata = std::move(found->second.metadata);
  interception = std::move(found->second.interception);
  calls_.erase(found);
}

void EarlyInterceptions::end(session::CallId id, Status status) {
  auto node = calls_.extract(id);
  if (!node.empty()) end(node.mapped(), std::move(status));
}

void EarlyInterceptions::end_all(const Status& status) {
  for (auto calls = std::exchange(calls_, {}); auto& [id, call] : calls) end(call, status);
}

void EarlyInterceptions::end(Call& call, Status status) const {
  CallContext context(&connection_context_);
  session::Event event;
  event.method_name = call.name;
  context.begin(call.method->method(), call.metadata, event);
  call.interception.end(connection_context_.server_state->interceptors, context, status);
}

}  // namespace trunkline::server
