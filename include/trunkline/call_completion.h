// SPDX-License-Identifier: MIT
// The operations behind Channel's calls, with their completion handlers.
#pragma once

#include <trunkline/call_operation.h>
#include <trunkline/completion.h>
#include <trunkline/operation_memory.h>
#include <trunkline/result.h>

#include <asio/associated_cancellation_slot.hpp>
#include <asio/cancellation_type.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace trunkline::client {

/// Any thread; does nothing if the channel is gone or the call has ended. A handler's slot thus may keep it: slots
/// belong to the handler's executor and are not cleared from the loop's thread.
TRUNKLINE_API void cancel_call(const std::weak_ptr<ChannelCore>& core, std::uint64_t cancel_number);

/// void(Result<Response>)
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
    call::Completion<Handler> completion = std::move(self->completion_);
    Result<Response> result =
        self->status.is_ok() ? Result<Response>(std::move(self->value_)) : Result<Response>(std::move(self->status));
    const bool is_initiating = self->is_initiating;
    call::destroy_operation(self);
    std::move(completion).deliver(is_initiating, std::move(result));
  }

  Response value_{};
  call::Completion<Handler> completion_;
};

/// void(Status); the response is the caller's.
template <class Handler>
class StatusCall final : public CallOperation {
 public:
  StatusCall(Handler&& handler, MutableMessageView into)
      : CallOperation(&on_complete, into), completion_(std::move(handler)) {}
  Handler& handler() noexcept { return completion_.handler(); }

 private:
  static void on_complete(CallOperation& operation) {
    auto* const self = static_cast<StatusCall*>(&operation);
    call::Completion<Handler> completion = std::move(self->completion_);
    Status status = std::move(self->status);
    const bool is_initiating = self->is_initiating;
    call::destroy_operation(self);
    std::move(completion).deliver(is_initiating, std::move(status));
  }

  call::Completion<Handler> completion_;
};

}  // namespace trunkline::client
