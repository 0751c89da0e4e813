// SPDX-License-Identifier: MIT
// MethodHost: a registered method as the core sees it. A coroutine waits for each call until Python has finished it.
#pragma once

#include "request_queue.h"
#include "served_method.h"

#include <trunkline/method_handler.h>

#include <memory>

namespace trunkline::python {

class MethodHost final : public MethodHandler {
 public:
  MethodHost(MethodShape shape, std::shared_ptr<const ServedMethod> method, std::shared_ptr<Pump> pump,
             std::shared_ptr<RequestQueue> queue);

  std::unique_ptr<CallMessages> make_messages() const override;
  asio::awaitable<Status> run_async(CallMessages& messages, ServerContext& context) override;
  asio::awaitable<Status> run_stream_async(call::ServerStreamCore& stream, ServerContext& context) override;

 private:
  std::shared_ptr<ServedCall> make_call(ServerContext& context) const;

  std::shared_ptr<const ServedMethod> method_;
  std::shared_ptr<Pump> pump_;
  std::shared_ptr<RequestQueue> queue_;
};

}  // namespace trunkline::python
