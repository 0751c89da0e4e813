// SPDX-License-Identifier: MIT
// InterceptorChain: goes forwards and backwards through the interceptors.
#include "call/interceptor_chain.h"

#include "base/exception_text.h"

#include <atomic>
#include <exception>
#include <string>

namespace trunkline::call {

Status InterceptorChain::thrown(std::string_view hook, const CallInfo& call) const {
  const std::string message =
      "call " + std::string(call.method) + ": an interceptor's " + std::string(hook) + " threw an exception";
  const std::string with_text = message + ": " + base::current_exception_text();
  if (*log_) (*log_)({LogLevel::error, with_text, call.method, call.peer});
  return {StatusCode::internal, exposes_text_ ? with_text : message};
}

Status InterceptorChain::start(CallInfo& call, std::size_t& started) const {
  for (started = 0; started < interceptors_.size();) {
    Status status;
    try {
      status = interceptors_[started++]->on_start(call);
    } catch (...) {
      status = thrown("on_start", call);
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
      status = thrown("on_finish", call);
    }
  }
}

std::uint64_t InterceptorChain::next_call_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace trunkline::call
