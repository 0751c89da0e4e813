// SPDX-License-Identifier: MIT
// ServerInterception: shows interceptors a call on the server.
#include "server/server_interception.h"

#include <utility>

namespace trunkline::server {

Status ServerInterception::begin_chain(const call::InterceptorChain& chain, const CallContext& context,
                                       Metadata& metadata) {
  const ServerContext& connection_context = context;
  user_agent_ = context.shared_user_agent();
  info_ = {.side = Side::server,
           .id = call::InterceptorChain::next_call_id(),
           .method = connection_context.method(),
           .peer = connection_context.peer(),
           .certificate_subject = connection_context.certificate_subject(),
           .certificate_names = connection_context.certificate_names(),
           .certificate_pem = connection_context.certificate_pem(),
           .user_agent = user_agent_ == nullptr ? std::string_view() : std::string_view(*user_agent_),
           .started = context.loop().now(),
           .deadline = connection_context.deadline(),
           .metadata = &metadata};
  return chain.start(info_, started_);
}

void ServerInterception::end_chain(const call::InterceptorChain& chain, CallContext& context, Status& status) {
  // The method may have been replaced since on_start, while the request came.
  info_.method = static_cast<const ServerContext&>(context).method();
  info_.metadata = &context.mutable_trailing();
  chain.finish(info_, std::exchange(started_, 0), status);
}

}  // namespace trunkline::server
