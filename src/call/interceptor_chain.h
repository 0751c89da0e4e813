// SPDX-License-Identifier: MIT
// InterceptorChain: the interceptors of a channel or server, called in order at the start and in reverse at the end.
#pragma once

#include <trunkline/interceptor.h>
#include <trunkline/log.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline::call {

/// An immutable chain, which any thread may use.
class InterceptorChain {
 public:
  /// Exceptions are logged by `log`, which is not null, may be empty and outlives the chain. With `exposes_text` the
  /// status of the call has their text too.
  InterceptorChain(std::vector<std::shared_ptr<Interceptor>> interceptors, const LogCallback* log, bool exposes_text)
      : interceptors_(std::move(interceptors)), log_(log), exposes_text_(exposes_text) {}

  bool empty() const noexcept { return interceptors_.empty(); }
  /// Calls on_start in order until an interceptor refuses the call. `started` counts the interceptors called, including
  /// the one that refused. An exception counts as a refusal with an internal error.
  Status start(CallInfo& call, std::size_t& started) const;
  /// Calls on_finish of the first `started` interceptors in reverse order. An exception makes the status internal.
  void finish(CallInfo& call, std::size_t started, Status& status) const;

  /// Returns a new CallInfo::id, unique in the process.
  static std::uint64_t next_call_id() noexcept;

 private:
  /// Logs the exception that is being handled. Returns the status that `hook` ends the call with.
  Status thrown(std::string_view hook, const CallInfo& call) const;

  std::vector<std::shared_ptr<Interceptor>> interceptors_;
  const LogCallback* log_;
  bool exposes_text_;
};

}  // namespace trunkline::call
