// SPDX-License-Identifier: MIT
// MethodHost: a registered method as the core sees it; its calls wait in coroutines until Python has answered.
#pragma once

#include "request_queue.h"

#include <trunkline/method_handler.h>

#include <memory>
#include <string>
#include <string_view>

namespace trunkline::python {

/// What Python has registered. Its entry for workers: unary (request bytes, codec, call) -> response bytes, the call
/// None if it has no need of it; streams (call).
class ServedMethod {
 public:
  /// `response_codec`: of what answers a request that had no message, and so no codec. A name of codec_name().
  ServedMethod(std::string name, MethodKind kind, const py::handle& entry, bool needs_call,
               std::string_view response_codec)
      : name_(std::move(name)),
        kind_(kind),
        entry_(entry),
        needs_call_(needs_call),
        response_type_(MessageTraits<Slice>::type()) {
    response_type_.default_codec = response_codec;
  }

  const std::string& name() const noexcept { return name_; }
  MethodKind kind() const noexcept { return kind_; }
  PyObject* entry() const noexcept { return entry_.get(); }
  bool needs_call() const noexcept { return needs_call_; }
  const MessageType& response_type() const noexcept { return response_type_; }
  /// True if its handlers have lately been seen to take long.
  bool is_slow() const noexcept { return slow_.load(std::memory_order_relaxed) > 0; }
  void took(std::chrono::nanoseconds duration) const noexcept;

 private:
  std::string name_;
  MethodKind kind_;
  Reference entry_;
  bool needs_call_;
  MessageType response_type_;
  mutable std::atomic<int> slow_{0};
};

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
