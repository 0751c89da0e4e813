// SPDX-License-Identifier: MIT
// ResultCall and StatusCall: the asynchronous calls of Channel, with their completion handlers.
#pragma once

#include <trunkline/detail/call_operation.h>
#include <trunkline/detail/completion.h>
#include <trunkline/detail/operation_memory.h>
#include <trunkline/result.h>

#include <asio/associated_cancellation_slot.hpp>
#include <asio/cancellation_type.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace trunkline::detail {

/// Cancels a call, from any thread. Does nothing if the channel is gone or the call has ended, so a cancellation slot
/// may keep it: slots belong to the handler's executor and are not cleared by the loop's thread.
TRUNKLINE_API void cancel_call(const std::weak_ptr<client::ChannelCore>& core, std::uint64_t cancel_number);

/// A call that completes with the signature void(Result<Response>). It owns the response.
template <class Response, class Handler>
class ResultCall final : public CallOperation {
 public:
  explicit ResultCall(Handler&& handler) : CallOperation(&on_complete, {}), completion_(std::move(handler)) {
    response = MutableMessageView::of(value_);
  }
  Handler& handler() noexcept { return completion_.handler(); }

 private:
  static void on_complete(CallOperation& operation) {
    auto* const self = static_cast<ResultCall*>(&operation);
    Completion<Handler> completion = std::move(self->completion_);
    Result<Response> result =
        self->status.is_ok() ? Result<Response>(std::move(self->value_)) : Result<Response>(std::move(self->status));
    const bool is_initiating = self->is_initiating;
    destroy_operation(self);
    std::move(completion).deliver(is_initiating, std::move(result));
  }

  Response value_{};
  Completion<Handler> completion_;
};

/// A call that completes with the signature void(Status). The caller owns the response.
template <class Handler>
class StatusCall final : public CallOperation {
 public:
  StatusCall(Handler&& handler, MutableMessageView into)
      : CallOperation(&on_complete, into), completion_(std::move(handler)) {}
  Handler& handler() noexcept { return completion_.handler(); }

 private:
  static void on_complete(CallOperation& operation) {
    auto* const self = static_cast<StatusCall*>(&operation);
    Completion<Handler> completion = std::move(self->completion_);
    Status status = std::move(self->status);
    const bool is_initiating = self->is_initiating;
    destroy_operation(self);
    std::move(completion).deliver(is_initiating, std::move(status));
  }

  Completion<Handler> completion_;
};

}  // namespace trunkline::detail
