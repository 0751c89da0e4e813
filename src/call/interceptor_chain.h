// SPDX-License-Identifier: MIT
// InterceptorChain: the interceptors of a channel or server, called in order at the start and in reverse at the end.
#pragma once

#include <trunkline/interceptor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace trunkline::call {

/// An immutable chain, which any thread may use.
class InterceptorChain {
 public:
  explicit InterceptorChain(std::vector<std::shared_ptr<Interceptor>> interceptors)
      : interceptors_(std::move(interceptors)) {}

  bool empty() const noexcept { return interceptors_.empty(); }
  /// Calls on_start in order until an interceptor refuses the call. `started` counts the interceptors called, including
  /// the one that refused. An exception counts as a refusal with an internal error.
  Status start(CallInfo& call, std::size_t& started) const;
  /// Calls on_finish of the first `started` interceptors in reverse order. An exception makes the status internal.
  void finish(CallInfo& call, std::size_t started, Status& status) const;

  /// Returns a new CallInfo::id, unique in the process.
  static std::uint64_t next_call_id() noexcept;

 private:
  std::vector<std::shared_ptr<Interceptor>> interceptors_;
};

}  // namespace trunkline::call
