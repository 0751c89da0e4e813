// SPDX-License-Identifier: MIT
// InterceptorChain: goes forwards and backwards through the interceptors.
#include "call/interceptor_chain.h"

#include <atomic>
#include <exception>
#include <string>

namespace trunkline::call {

namespace {

Status thrown(std::string_view hook, std::string_view method) {
  return {StatusCode::internal,
          "call " + std::string(method) + ": an interceptor's " + std::string(hook) + " threw an exception"};
}

}  // namespace

Status InterceptorChain::start(CallInfo& call, std::size_t& started) const {
  for (started = 0; started < interceptors_.size();) {
    Status status;
    try {
      status = interceptors_[started++]->on_start(call);
    } catch (...) {
      status = thrown("on_start", call.method);
    }
    if (!status.is_ok()) return status;
  }
  return {};
}

void InterceptorChain::finish(CallInfo& call, std::size_t started, Status& status) const {
  while (started > 0) {
    try {
      interceptors_[--started]->on_finish(call, status);
    } catch (...) {
      status = thrown("on_finish", call.method);
    }
  }
}

std::uint64_t InterceptorChain::next_call_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace trunkline::call
