// SPDX-License-Identifier: MIT
// MethodHost: the coroutines that represent Python's handlers.
#include "method_host.h"

#include <asio/async_result.hpp>
#include <asio/use_awaitable.hpp>

#include <utility>

namespace trunkline::python {

namespace {

class Messages final : public CallMessages {
 public:
  Messages() { request = MutableMessageView::of(request_), response = MutableMessageView::of(response_); }

 private:
  Payload request_;
  Slice response_;
};

template <class Handler>
class HandlerResumption final : public Resumption {
 public:
  explicit HandlerResumption(Handler&& handler) : handler_(std::move(handler)) {}
  void resume() override { std::move(handler_)(); }

 private:
  Handler handler_;
};

/// Hands `call` to Python and waits until it has finished.
asio::awaitable<void> until_finished(RequestQueue& queue, const std::shared_ptr<ServedCall>& call) {
  return asio::async_initiate<const asio::use_awaitable_t<>&, void()>(
      [&queue, call](auto handler) {
        call->resumption = std::make_unique<HandlerResumption<decltype(handler)>>(std::move(handler));
        queue.push(call);
      },
      asio::use_awaitable);
}

}  // namespace

MethodHost::MethodHost(MethodShape shape, std::shared_ptr<const ServedMethod> method, std::shared_ptr<Pump> pump,
                       std::shared_ptr<RequestQueue> queue)
    : MethodHandler(std::move(shape)), method_(std::move(method)), pump_(std::move(pump)), queue_(std::move(queue)) {}

std::unique_ptr<CallMessages> MethodHost::make_messages() const { return std::make_unique<Messages>(); }

std::shared_ptr<ServedCall> MethodHost::make_call(ServerContext& context) const {
  auto call = std::make_shared<ServedCall>(pump_, method_, context);
  context.on_cancel([queue = queue_, told = std::weak_ptr(call)] {
    std::shared_ptr<ServedCall> cancelled = told.lock();
    if (cancelled == nullptr) return;
    cancelled->deliver_notice();
    if (queue->withdraw(cancelled) || !queue->tells_cancellations()) return;
    queue->push_cancellation(std::move(cancelled));
  });
  return call;
}

asio::awaitable<Status> MethodHost::run_async(CallMessages& messages, ServerContext& context) {
  const std::shared_ptr<ServedCall> call = make_call(context);
  call->set_request(std::exchange(*messages.request.as<Payload>(), {}));
  co_await until_finished(*queue_, call);
  co_return call->take_outcome(messages.response.as<Slice>());
}

asio::awaitable<Status> MethodHost::run_stream_async(call::ServerStreamCore& stream, ServerContext& context) {
  const std::shared_ptr<ServedCall> call = make_call(context);
  call->open_stream(stream);
  co_await until_finished(*queue_, call);
  co_return call->take_outcome(nullptr);
}

}  // namespace trunkline::python
