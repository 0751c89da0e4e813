// SPDX-License-Identifier: MIT
// LoopContext: the completions and exceptions of one loop.
#include "server/loop_context.h"

#include <utility>

namespace trunkline::server {

LoopContext::LoopContext(std::shared_ptr<ServerState> server_state, net::Loop& loop)
    : server_state_(std::move(server_state)), loop_(loop) {}

void LoopContext::post(std::function<void()> task) {
  const std::lock_guard lock(loop_mutex_);
  if (!has_no_loop()) loop_.post(std::move(task));
}

void LoopContext::lose_loop() noexcept {
  const std::lock_guard lock(loop_mutex_);
  is_loop_gone_.store(true, std::memory_order_release);
}

void LoopContext::count_exception() {
  if (is_on_loop()) return totals_.handler_exceptions.add();
  post([self = shared_from_this()] { self->totals_.handler_exceptions.add(); });
}

void LoopContext::hand_over_completions() {
  while (detail::StreamOperation* const operation = completions_.take()) {
    // The handler is posted, so that no code of the application runs inside the destructor of the server.
    operation->is_initiating = true;
    operation->complete(*operation);
  }
}

void LoopContext::run_completions(void* self) {
  // The last completion may release the last connection.
  const auto keep = static_cast<LoopContext*>(self)->shared_from_this();
  keep->completions_.run();
}

void LoopContext::defer_completions(void* self) {
  auto& context = *static_cast<LoopContext*>(self);
  context.loop_.defer(context.run_completions_);
}

}  // namespace trunkline::server
