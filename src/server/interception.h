// SPDX-License-Identifier: MIT
// Interception: one call's way through the server's interceptors, there and back.
#pragma once

#include "call/interceptor_chain.h"
#include "server/call_context.h"

namespace trunkline::server {

/// Costs nothing while the chain is empty.
class Interception {
 public:
  /// An error means that the handler must not run; end() must follow all the same.
  Status begin(const call::InterceptorChain& chain, const CallContext& context, Metadata& metadata) {
    return chain.empty() ? Status() : begin_chain(chain, context, metadata);
  }
  /// Before the status is sent. Does nothing if begin() was not called, or end() has been.
  void end(const call::InterceptorChain& chain, CallContext& context, Status& status) {
    if (started_ > 0) end_chain(chain, context, status);
  }

 private:
  Status begin_chain(const call::InterceptorChain& chain, const CallContext& context, Metadata& metadata);
  void end_chain(const call::InterceptorChain& chain, CallContext& context, Status& status);

  CallInfo info_;
  std::size_t started_ = 0;
};

}  // namespace trunkline::server
