// SPDX-License-Identifier: MIT
// ServerInterception: takes one call through the server's interceptors, forth and back.
#pragma once

#include "call/interceptor_chain.h"
#include "server/call_context.h"

#include <cstddef>

namespace trunkline::server {

/// Costs a comparison while the chain is empty. Only the loop's thread uses it.
class ServerInterception {
 public:
  /// Calls on_start of the interceptors. After an error the handler must not run, but end() must still be called.
  /// `metadata` must live until this returns. Does nothing the second time.
  Status begin(const call::InterceptorChain& chain, const CallContext& context, Metadata& metadata) {
    return chain.empty() || started_ > 0 ? Status() : begin_chain(chain, context, metadata);
  }
  /// Calls on_finish, which may replace `status`; call it before the status is sent. Does nothing without begin(), and
  /// the second time.
  void end(const call::InterceptorChain& chain, CallContext& context, Status& status) {
    if (started_ > 0) end_chain(chain, context, status);
  }

 private:
  Status begin_chain(const call::InterceptorChain& chain, const CallContext& context, Metadata& metadata);
  void end_chain(const call::InterceptorChain& chain, CallContext& context, Status& status);

  CallInfo info_;
  /// Owns what info_.user_agent shows: the context of on_start may have ended by on_finish.
  session::UserAgent user_agent_;
  /// The number of interceptors whose on_start has been called.
  std::size_t started_ = 0;
};

}  // namespace trunkline::server
