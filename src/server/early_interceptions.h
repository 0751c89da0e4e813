// SPDX-License-Identifier: MIT
// EarlyInterceptions: the interceptors of calls whose requests are not whole yet.
#pragma once

#include "base/id_hash.h"
#include "server/connection_context.h"
#include "server/loop_method.h"
#include "server/server_interception.h"
#include "session/event.h"

#include <trunkline/metadata.h>

#include <memory>
#include <string>
#include <unordered_map>

namespace trunkline::server {

/// Lets interceptors decide by the metadata, so a refused caller gets no memory for a long request. What they know of a
/// call waits here until the call is handed out or ends. Each connection has one, used by the loop's thread only.
class EarlyInterceptions {
 public:
  /// `connection_context` must outlive this object.
  explicit EarlyInterceptions(const ConnectionContext& connection_context) noexcept
      : connection_context_(connection_context) {}

  bool empty() const noexcept { return calls_.empty(); }
  /// Calls on_start for the call of `event`, which has no message yet, and takes its metadata. After an error on_finish
  /// has been called too, and the error is the one that on_finish has left.
  Status begin(const call::InterceptorChain& chain, session::Event& event, LoopMethod& method);
  /// Hands over what is known of the call of `event`, which gets its metadata back. Does nothing for other calls.
  void take(session::Event& event, ServerInterception& interception);
  /// Ends a call with `status` that no handler sees. Does nothing for calls that are not known.
  void end(session::CallId id, Status status);
  /// Ends all calls with `status`.
  void end_all(const Status& status);

 private:
  struct Call {
    std::shared_ptr<LoopMethod> method;
    /// The name by which the call was called, if `method` is the fallback.
    std::string name;
    Metadata metadata;
    ServerInterception interception;
  };
  void end(Call& call, Status status) const;

  const ConnectionContext& connection_context_;
  std::unordered_map<session::CallId, Call, base::IdHash> calls_;
};

}  // namespace trunkline::server
